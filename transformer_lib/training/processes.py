"""Several processes that train one model together, each on its share of every batch.

`torchrun --nproc-per-node=2 -m …` starts them; torch's DistributedDataParallel averages
their gradients.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from ..checks.validation import require

Batch = TypeVar("Batch")
Model = TypeVar("Model", bound=nn.Module)
_together = ContextVar("together", default=False)  # in a step of several processes


@contextmanager
def joined() -> Iterator[None]:
    """Join the processes that `torchrun` has started, if it has, inside the `with`.

    Once in a process: torch's processes do not find each other a second time.
    """
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        yield
        return
    on_cuda = torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
    dist.init_process_group("nccl" if on_cuda else "gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()


def place() -> torch.device:
    """Tell where a process computes: of several, on a CUDA device of its own.

    Where there is not one for each, or the process is alone, it is the CPU, on which
    small models are fastest.
    """
    if dist.is_initialized() and dist.get_backend() == "nccl":
        return torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    return torch.device("cpu")


def is_first() -> bool:
    """Tell whether this process is alone, or the first of several."""
    return not dist.is_initialized() or dist.get_rank() == 0


def across(model: Model) -> Model | DistributedDataParallel:
    """Wrap a model so that its gradients are averaged over the joined processes.

    Alone, it is given back as it is.
    """
    return DistributedDataParallel(model) if dist.is_initialized() else model


def bare(model: nn.Module) -> nn.Module:
    """Give the model inside the wrapper of `across`, or the model itself."""
    return model.module if isinstance(model, DistributedDataParallel) else model


@contextmanager
def together(model: nn.Module) -> Iterator[None]:
    """Count and average over all processes inside, if the model is wrapped."""
    before = _together.set(isinstance(model, DistributedDataParallel))
    try:
        yield
    finally:
        _together.reset(before)


def processes() -> int:
    """Return how many processes take a step together; alone, it is one."""
    return dist.get_world_size() if _together.get() else 1


def of_all(x: Tensor) -> Tensor:
    """Stack a tensor of every process (...), on the CPU, into (processes, ...)."""
    if not _together.get():
        return x[None]
    parts = [torch.empty_like(x, device=place()) for _ in range(processes())]
    dist.all_gather(parts, x.to(place()))
    return torch.stack(parts).cpu()  # (processes, ...)


def own(x: Tensor) -> Tensor:
    """Return what `of_all` has stacked of this process."""
    rank = dist.get_rank() if _together.get() else 0
    return x[rank].clone()  # torch.set_rng_state reads a view from its storage's start


def wait_for_all() -> None:
    """Wait until every process has come to this line; alone, go on."""
    if _together.get():
        dist.barrier()


def share(batch: Batch, device: torch.device) -> Batch:
    """Move a batch to a device; of several processes' batch, this one's rows of it.

    Raises:
        ValueError: the rows cannot be shared evenly.
    """

    def rows(x: Tensor) -> Tensor:
        if _together.get():
            rank, size = dist.get_rank(), processes()
            even = x.dim() > 0 and len(x) % size == 0
            wanted = f"hold as many rows for each of {size} processes"
            require(even, "batch", wanted, tuple(x.shape))
            x = x[rank::size]
        return x.to(device)

    shared: Batch = _each(rows, batch)
    return shared


def _each(change: Callable[[Tensor], Tensor], batch: Any) -> Any:
    """Change every tensor of a batch: a tensor, or tuples, lists and dicts of them."""
    if isinstance(batch, Tensor):
        return change(batch)
    if isinstance(batch, dict):
        return {name: _each(change, x) for name, x in batch.items()}
    if isinstance(batch, list | tuple):
        parts = [_each(change, x) for x in batch]
        return type(batch)(*parts) if hasattr(batch, "_fields") else type(batch)(parts)
    return batch


def mean_of_all(x: Tensor) -> Tensor:
    """Average a tensor over the processes that take a step together; alone, it is it.

    What each divides by the mean of their counts, and all average then, is divided by
    the sum of the counts.
    """
    if not _together.get():
        return x
    total = x.detach().clone()
    dist.all_reduce(total)
    return total / processes()
