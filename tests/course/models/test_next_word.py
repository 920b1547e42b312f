"""The model whose heads are taught where to look: its loss, computed row by row."""

import torch

from course.models.next_word import ATTENTION, SIZES, batch, loss
from transformer_lib import DecoderOnlyTransformer, record


def test_a_taught_head_loses_by_the_weight_where_it_should_look():
    torch.manual_seed(0)
    model = DecoderOnlyTransformer(SIZES).eval()
    ids, wanted = batch(torch.Generator().manual_seed(0), 4)
    with torch.no_grad(), record(model) as tensors:
        logits = model(ids[:, :-1])
    weights = tensors[f"{ATTENTION}.weights"]
    B, H, n, _ = weights.shape
    rows = [(b, i) for b in range(B) for i in range(n) if ids[b, i + 1] != 0]
    right = [logits[b, i].log_softmax(-1)[ids[b, i + 1]] for b, i in rows]
    free = -sum(right) / len(rows)
    missed = [
        weights[b, h, i, wanted[b, h, i]].log() for b, i in rows for h in range(H)
    ]
    taught = free - 0.5 * sum(missed) / len(rows)
    for teaching, expected in ((0.0, free), (0.5, taught)):
        found = loss(model, (ids, wanted), teaching).detach()
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
