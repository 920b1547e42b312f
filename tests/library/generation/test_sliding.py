"""Texts that outgrow what a model has room for: it reads the last tokens alone."""

import pytest
import torch
from small import PAD, PROMPTS, RAGGED, SMALL, build, told

from transformer_lib import DecoderOnlyTransformer, Transformer, beam_search, greedy
from transformer_lib.generation.sampling import sample

ROOM = SMALL.max_length
LONG = ROOM + 9


def by_hand(model, row, length):
    """Write on with the model alone, given the last tokens that it has room for."""
    ids, total = row[row != PAD].tolist(), 0.0
    while len(ids) < length:
        with torch.no_grad():
            logits = model(torch.tensor([ids[-ROOM:]]))[0, -1]
        ids.append(int(logits.argmax()))
        total += float(logits.log_softmax(-1)[ids[-1]])
    return ids, total


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("prompts", [PROMPTS, RAGGED], ids=["even", "ragged"])
@pytest.mark.parametrize("use_cache", [True, False])
def test_each_token_is_chosen_behind_the_last_ones_alone(positions, prompts, use_cache):
    model = build(DecoderOnlyTransformer, positions=positions, norm_first=True)
    decoding = told(type(model), max_length=LONG, slides=True, use_cache=use_cache)
    found = greedy(model, prompts, decoding)
    assert found.ids.shape == (len(prompts), LONG)
    for row, ids, score in zip(prompts, *found, strict=True):
        expected, total = by_hand(model, row, LONG)
        assert ids.tolist() == expected
        assert float(score) == pytest.approx(total, abs=1e-3)


def test_one_beam_slides_as_greedy_search_does():
    model = build(DecoderOnlyTransformer)
    decoding = told(type(model), max_length=LONG, slides=True)
    alone = greedy(model, RAGGED, decoding)
    assert beam_search(model, RAGGED, decoding, 1).ids[:, 0].equal(alone.ids)


def test_a_prompt_may_be_longer_than_the_model_has_room_for():
    model = build(DecoderOnlyTransformer)
    prompt = PROMPTS[:1].repeat(1, 5)  # (1, 20)
    decoding = told(type(model), max_length=30, slides=True)
    expected, _ = by_hand(model, prompt[0], 30)
    assert greedy(model, prompt, decoding).ids[0].tolist() == expected


def test_a_text_that_stays_inside_is_written_as_without_sliding():
    model = build(DecoderOnlyTransformer)
    plain, slid = (
        told(type(model), max_length=ROOM, slides=slides) for slides in (False, True)
    )
    for write in (
        greedy,
        lambda *a: sample(*a, None, torch.Generator().manual_seed(0)),
    ):
        assert write(model, RAGGED, slid).ids.equal(write(model, RAGGED, plain).ids)


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (Transformer, {"slides": True}, r"^decoding\.slides must be False for a Tran"),
        (
            DecoderOnlyTransformer,
            {"max_length": LONG},
            "unless the text slides, the model's 16",
        ),
    ],
)
def test_what_cannot_slide_is_refused(kind, options, words):
    with pytest.raises(ValueError, match=words):
        greedy(build(kind), PROMPTS, told(kind, **options))
