"""Train a small Transformer, under torchrun or alone, and give its losses.

Sentences of many lengths, so that each process has another number of tokens to learn.
"""

import sys

import torch
import torch.distributed as dist
from small import PAD, build

from transformer_lib import Transformer, padding_mask
from transformer_lib.training import fit_steps, smoothed_cross_entropy
from transformer_lib.training.processes import across, is_first, joined


def batch(draw):
    ids = torch.randint(3, 11, (6, 8), generator=draw)
    lengths = torch.randint(2, 9, (6, 1), generator=draw)
    lengths[::2] = 8  # one process has more tokens than the other
    return ids.where(torch.arange(8) < lengths, PAD)


def train(path, dropout=0.0):
    """Take six steps, and the last two again from a file; give the losses."""
    model = across(build(Transformer, sharp=1.0, dropout=dropout).double())

    def loss(ids):
        logits = model(ids, ids[:, :-1], padding_mask(ids, pad_id=PAD))
        return smoothed_cross_entropy(logits, ids[:, 1:], 0.1, PAD)

    if dist.is_initialized():
        torch.manual_seed(dist.get_rank())  # each process drops other numbers
    training = fit_steps(model, batch, loss, 6, lr=0.01, clip=0.5, seed=3)
    losses = [next(training) for _ in range(4)]
    training.save(path)
    losses += training
    training.resume(path)
    return losses + list(training)


if __name__ == "__main__":
    with joined():
        plain, dropped = train(sys.argv[1]), train(sys.argv[1] + "_dropped", 0.3)
        if is_first():
            print(*plain)
            print(*dropped)
