"""Edges, devices and wasted work of generation that no other test guards."""

import pytest
import torch
from small import RAGGED, WRITERS, build, told

from transformer_lib import (
    DecoderOnlyTransformer,
    Sampling,
    Transformer,
    beam_search,
    greedy,
    sample,
)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("use_cache", [True, False])
def test_texts_are_written_where_the_prompts_lie(kind, use_cache):
    model, decoding = build(kind), told(kind, end_id=1, use_cache=use_cache)
    for write in (
        greedy,
        sample,
        lambda *a: beam_search(*a, 3, n_best=2),
    ):
        with torch.device("meta"):
            found = write(model, RAGGED, decoding)
        assert found.ids.device == found.scores.device == RAGGED.device


@pytest.mark.parametrize("kind", WRITERS)
def test_without_an_end_no_token_ends_a_text(kind):
    model = build(kind, vocabulary_size=3)
    ids = torch.full((1, 2), 1)
    for token in range(3):
        chosen = torch.zeros(3)
        chosen[token] = 1.0
        model.embedding.logits = lambda x, c=chosen: c.expand(*x.shape[:2], 3) * 50
        decoding = told(kind, pad_id=None, use_cache=False)
        texts = greedy(model, ids, decoding).ids
        assert texts.shape == (1, 12)
        assert (texts[0, 2:] == token).all()


@pytest.mark.parametrize("kind", WRITERS)
def test_no_token_is_read_after_the_last_text_has_ended(kind):
    model, passes = build(kind), []
    free = greedy(model, RAGGED[:1], told(kind)).ids[0]
    written = free[1 if kind is Transformer else 4 :]
    model.decoder.register_forward_hook(lambda *_: passes.append(1))
    texts = greedy(model, RAGGED[:1], told(kind, end_id=int(written[2])))
    n = int((written == written[2]).nonzero()[0]) + 1
    assert n < 4
    assert len(passes) == n
    assert texts.ids.size(1) == len(free) - len(written) + n


@pytest.mark.parametrize("kind", WRITERS)
def test_nothing_is_written_behind_no_prompts(kind):
    none, width = torch.zeros(0, 3, dtype=torch.long), 1 if kind is Transformer else 3
    for use_cache in (True, False):
        decoding = told(kind, use_cache=use_cache)
        assert greedy(build(kind), none, decoding).ids.shape == (0, width)
        assert greedy(build(kind), none, decoding).scores.shape == (0,)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("options", [{}, {"norm_first": True, "final_norm": True}])
def test_a_token_in_steps_obeys_every_parameter(kind, options):
    model = build(kind, **options).double()
    made = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() == 1:  # biases start at 0 and gains at 1: too easy to forget
                p.copy_(torch.randn(p.shape, generator=made, dtype=p.dtype))
    fast = greedy(model, RAGGED, told(kind))
    slow = greedy(model, RAGGED, told(kind, use_cache=False))
    assert fast.ids.equal(slow.ids)
    torch.testing.assert_close(fast.scores, slow.scores, atol=1e-9, rtol=0)


def test_each_row_of_scores_has_its_own_scale():
    rows = torch.tensor([[0.0, 1.0], [-10_000.0, -10_001.0]])
    cold = Sampling(temperature=1e-306).probabilities(rows)
    assert cold.tolist() == [[0, 1], [1, 0]]


def test_a_nucleus_of_everything_drops_not_even_the_least():
    rows = torch.tensor([[0.0, -50.0]], dtype=torch.float64)
    whole = Sampling(top_p=1.0).probabilities(rows)
    assert whole.equal(Sampling().probabilities(rows))
    assert (whole > 0).all()


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("hook", ["forward_hook", "forward_pre_hook"])
def test_a_hook_hears_every_token(kind, hook):
    model, heard = build(kind), []
    listen = getattr(model.decoder.blocks[0], f"register_{hook}")
    listen(lambda *_: heard.append(1))
    texts = greedy(model, RAGGED[:1], told(kind)).ids
    prompt = 1 if kind is Transformer else 4
    assert len(heard) == texts.size(1) - prompt


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_scores_are_summed_in_float32_at_least(dtype):
    model = build(DecoderOnlyTransformer).to(dtype)
    assert greedy(model, RAGGED, told(DecoderOnlyTransformer)).scores.dtype == (
        torch.float32
    )
