"""Forked kernels are kernels: they answer, are interrupted, and are started again."""

import pathlib
import sys
import tempfile
import time

import pytest
from jupyter_client import KernelManager
from kernels import forked_kernels

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="they are not forked")


@pytest.fixture
def manager(monkeypatch):
    with (
        tempfile.TemporaryDirectory() as folder,
        forked_kernels(pathlib.Path(folder)) as found,
    ):
        monkeypatch.setenv("JUPYTER_PATH", str(found))
        manager = KernelManager(kernel_name="python3")
        manager.start_kernel()
        yield manager
        manager.shutdown_kernel(now=True)


def test_it_answers_is_interrupted_and_is_started_again_at_once(manager, tmp_path):
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    asked = client.execute("import torch\nwhile True: pass")
    while client.get_iopub_msg(timeout=60)["msg_type"] != "execute_input":
        pass
    manager.interrupt_kernel()
    answer = {"parent_header": {}}
    while answer["parent_header"].get("msg_id") != asked:
        answer = client.get_shell_msg(timeout=60)
    assert answer["content"]["ename"] == "KeyboardInterrupt"
    client.execute("import re; re.match('(a+)+$', 'a' * 30 + 'b')")
    time.sleep(0.5)  # now no thread of its hears anything for a minute
    for _ in range(3):  # on the same ports, which the one before must have left
        manager.restart_kernel(now=True)
        client.wait_for_ready(timeout=60)
        assert manager.is_alive()
    said = tmp_path / "said"
    write = f"import sys; open({str(said)!r}, 'w').write(str(sys.argv[1:]))"
    answer = client.execute_interactive(write, timeout=60)
    assert answer["content"]["status"] == "ok"
    assert manager.connection_file in said.read_text()
    client.stop_channels()
