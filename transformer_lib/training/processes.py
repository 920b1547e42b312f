"""Several processes that train one model, each on its share of every batch.

`torchrun --nproc-per-node=2 -m …` starts them, and torch's DistributedDataParallel
averages their gradients.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils._pytree import tree_map_only

from ..checks.validation import require, setting

Batch = TypeVar("Batch")
Model = TypeVar("Model", bound=nn.Module)
_together = ContextVar("together", default=False)  # in a step of several processes


@contextmanager
def joined() -> Iterator[None]:
    """Join the processes that `torchrun` has started, if any, inside the `with`.

    Use it once in each process: torch cannot join them a second time.
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
    """Return this process's own CUDA device; or the CPU, if too few or it is alone."""
    if dist.is_initialized() and dist.get_backend() == "nccl":
        return torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    return torch.device("cpu")


def is_first() -> bool:
    """Return whether this process is alone, or the first of several."""
    return not dist.is_initialized() or dist.get_rank() == 0


def across(model: Model) -> Model | DistributedDataParallel:
    """Wrap a model to average its gradients over the joined processes, if any."""
    return DistributedDataParallel(model) if dist.is_initialized() else model


def bare(model: nn.Module) -> nn.Module:
    """Return the model inside the wrapper of `across`, or the model itself."""
    return model.module if isinstance(model, DistributedDataParallel) else model


def together(model: nn.Module) -> AbstractContextManager[None]:
    """Inside the `with`, average over all processes if the model is wrapped."""
    return setting(_together, isinstance(model, DistributedDataParallel))


def count() -> int:
    """Return how many processes take a step together; 1 for a process alone."""
    return dist.get_world_size() if _together.get() else 1


def of_all(x: Tensor) -> Tensor:
    """Stack a tensor of every process (...), on the CPU, into (processes, ...)."""
    if not _together.get():
        return x[None]
    parts = [torch.empty_like(x, device=place()) for _ in range(count())]
    dist.all_gather(parts, x.to(place()))
    return torch.stack(parts).cpu()  # (processes, ...)


def own(x: Tensor) -> Tensor:
    """Return the part of what `of_all` has stacked that came from this process."""
    rank = dist.get_rank() if _together.get() else 0
    return x[rank].clone()  # torch.set_rng_state reads a view from its storage's start


def wait_for_all() -> None:
    """Wait until every process has called this."""
    if _together.get():
        dist.barrier()


def share(batch: Batch, device: torch.device) -> Batch:
    """Move a batch to a device; one of several processes gets its own rows only.

    Raise a ValueError if the rows cannot be shared evenly.
    """

    def rows(x: Tensor) -> Tensor:
        if _together.get():
            rank, size = dist.get_rank(), count()
            even = x.dim() > 0 and len(x) % size == 0
            wanted = f"hold as many rows for each of {size} processes"
            require(even, "batch", wanted, tuple(x.shape))
            x = x[rank::size]
        return x.to(device)

    shared: Batch = tree_map_only(Tensor, rows, batch)
    return shared


def mean_of_all(x: Tensor) -> Tensor:
    """Average a tensor over the processes that take a step together.

    If each process divides its sum by the average count, the average over them, which
    DistributedDataParallel takes, is the total sum divided by the total count.
    """
    if not _together.get():
        return x
    total = x.detach().clone()
    dist.all_reduce(total)
    return total / count()
