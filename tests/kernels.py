"""Kernels that start at once: forked from a process that has imported what is slow.

Most of a kernel's first seconds go into importing torch, and the tests start one kernel
after another. The packages of the course are imported by each kernel itself.

    python tests/kernels.py NUMBER        # serves at an open socket, until input ends
    python tests/kernels.py PATH -f FILE  # what Jupyter starts: a kernel's stand-in
"""

import importlib
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SLOW = (
    *("torch", "torch._dynamo", "safetensors.torch", "matplotlib.figure"),
    *("ipykernel.kernelapp", "ipywidgets", "anywidget", "tqdm.notebook"),
)
INTERRUPT = b"interrupt"


@contextmanager
def forked_kernels(folder: Path) -> Iterator[Path]:
    """Serve kernels while the block runs; give a folder for Jupyter to look in."""
    at = str(folder / "socket")
    spec = {
        "argv": [sys.executable, __file__, at, "-f", "{connection_file}"],
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "metadata": {"debugger": True},
    }
    kernel = folder / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(json.dumps(spec))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
        asked.bind(at)
        asked.listen()
        fd = asked.fileno()
        command = [sys.executable, __file__, str(fd)]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[fd])
    with server:
        yield folder


def serve(asked: socket.socket) -> None:
    """Fork a kernel for each stand-in that asks, until the input is closed."""
    # As each kernel sets it; Matplotlib reads it when it is imported.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    for name in SLOW:
        importlib.import_module(name)
    running: dict[str, int] = {}
    while sys.stdin not in select.select([sys.stdin, asked], [], [])[0]:
        stand_in, _ = asked.accept()
        told, outputs, *_ = socket.recv_fds(stand_in, 1 << 20, 3)
        how = json.loads(told)
        file = how["arguments"][1]
        if file in running:  # one that is restarted has the ports of the one before
            os.kill(running[file], signal.SIGKILL)
            os.waitpid(running[file], 0)
        running[file] = os.fork()
        if not running[file]:
            asked.close()
            become_kernel(stand_in, how, outputs)
        stand_in.close()
        for output in outputs:
            os.close(output)


def become_kernel(
    stand_in: socket.socket, how: dict[str, Any], outputs: list[int]
) -> None:
    """Run a kernel in the stand-in's place: in its folder, with its outputs."""
    os.setsid()
    for here, given in enumerate(outputs):
        os.dup2(given, here)
        os.close(given)
    os.chdir(how["folder"])
    os.environ.clear()
    os.environ.update(how["environment"])
    os.environ["JPY_PARENT_PID"] = str(os.getppid())
    threading.Thread(target=obey, args=[stand_in], daemon=True).start()
    random.seed()
    sys.argv = ["ipykernel_launcher.py", *how["arguments"]]
    sys.path.pop(0)  # the folder of this file
    importlib.import_module("ipykernel.kernelapp").launch_new_instance()
    sys.exit()


def obey(stand_in: socket.socket) -> None:
    """Be interrupted when the stand-in is, and end when it does."""
    while stand_in.recv(len(INTERRUPT)):
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(1)


def stand_in(at: str, *arguments: str) -> None:
    """Ask for a kernel, pass interrupts on, and wait until it ends."""
    how = {"folder": os.getcwd(), "environment": dict(os.environ)}
    how["arguments"] = arguments
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as kernel:
        kernel.connect(at)
        signal.signal(signal.SIGINT, lambda *_: kernel.send(INTERRUPT))
        socket.send_fds(kernel, [json.dumps(how).encode()], [0, 1, 2])
        kernel.recv(1)


if __name__ == "__main__":
    at, *arguments = sys.argv[1:]
    if arguments:
        stand_in(at, *arguments)
    else:
        serve(socket.socket(fileno=int(at)))
