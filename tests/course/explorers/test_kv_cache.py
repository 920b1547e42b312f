"""kv_cache: what it says is kept, computed and multiplied is what the model does."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from small import PROMPTS, WRITERS, build

from course import explorers
from course.experiments.costs import products
from course.experiments.decoder_costs import multiplications
from course.explorers.generation.kv_cache import cache_sheet
from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    Transformer,
    Vocabulary,
    caching,
    greedy,
    record,
)

WORDS = Vocabulary([*"cdefghij"], pad="p", eos="⟨EOS⟩", sos="⟨SOS⟩")
SOURCE = " ".join(WORDS.decode(PROMPTS[0]))


def kv_cache(kind, **options):
    return explorers.kv_cache(build(kind), WORDS, SOURCE, **options)


def text_of(model):
    """What the model writes, with what it begins with: ids (1, L)."""
    start = WORDS.sos_id if isinstance(model, Transformer) else None
    told = Decoding(max_length=16, start_id=start, end_id=WORDS.eos_id)
    return greedy(model, PROMPTS[:1], told).ids


def drawing(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


@pytest.mark.parametrize(
    ("kind", "attention"),
    [
        (DecoderOnlyTransformer, "self-attention"),
        (Transformer, "self-attention"),
        (Transformer, "cross-attention"),
    ],
)
def test_keys_and_values_are_those_of_a_pass_without_a_cache(kind, attention):
    explorer = kv_cache(kind, layer=2, head=3, attention=attention)
    model = build(kind)
    text = text_of(model)
    begun = 1 if kind is Transformer else PROMPTS.size(1)
    for n in range(1, len(explorer.way) + 1):
        explorer.controls["step"].value = n
        read = text[:, : begun + n - 1]
        with torch.no_grad(), record(model) as tensors:
            given = (PROMPTS[:1], read) if kind is Transformer else (read,)
            model(*given)
        for field in ("k", "v"):
            name = f"decoder.blocks.1.{attention.replace('-', '_')}.{field}"
            expected = tensors[name][0, 2, :, :3]
            found = explorer.values["keys" if field == "k" else "values"]
            np.testing.assert_allclose(found, expected, atol=1e-5)
        logits = tensors["logits"][0, -1]
        best = drawing(explorer, "logits").columns
        expected = [float(logits[t]) for t in WORDS.encode(best)]
        both = explorer.values["logits"]
        np.testing.assert_allclose(both, [expected] * 2, atol=1e-4)
        assert "the same to 4 decimals" in drawing(explorer, "logits").note
        assert max(logits) == pytest.approx(expected[0], abs=1e-4)


def test_the_note_says_how_far_apart_logits_are_that_differ():
    explorer = kv_cache(DecoderOnlyTransformer)
    seen = explorer._always["read"](SOURCE)
    kept, again = seen.logits
    other = replace(seen, logits=(kept + 9, again + 9.25))
    sheet = cache_sheet(read=lambda _: other, **explorer.settings)
    [note] = [d.note for d in sheet.drawings if d.name == "logits"]
    assert note == "they are 0.2500 apart"


@pytest.mark.parametrize("kind", WRITERS)
def test_a_pass_computes_the_rows_of_the_words_that_it_reads(kind):
    explorer = kv_cache(kind)
    begun = 1 if kind is Transformer else PROMPTS.size(1)
    for n in range(1, len(explorer.way) + 1):
        explorer.controls["step"].value = n
        kept, anew = explorer.values["computed"].T
        assert len(kept) == begun + n - 1
        assert kept.tolist() == [float(n == 1)] * begun + [0.0] * (n - 2) + [1.0] * (
            n > 1
        )
        assert anew.all()
        outlined = drawing(explorer, "keys").outlined
        assert (outlined == kept[:, None]).all()


def test_the_sources_keys_are_computed_once():
    explorer = kv_cache(Transformer, attention="cross-attention")
    assert explorer.values["computed"].tolist() == [[1, 1]] * 4
    explorer.controls["step"].value = 2
    assert explorer.values["computed"].tolist() == [[0, 1]] * 4


@pytest.mark.parametrize("kind", WRITERS)
def test_what_is_multiplied_is_what_the_passes_multiply(kind):
    explorer = kv_cache(kind)
    model = build(kind)
    text = text_of(model)
    begun = 1 if kind is Transformer else PROMPTS.size(1)
    with torch.no_grad():
        memory = model.encode(PROMPTS[:1]) if kind is Transformer else None

        def read(ids):
            return model(ids) if memory is None else model.decode(ids, memory)

        total = np.zeros(2)
        with caching(model):
            for n in range(1, 4):
                end = begun + n - 1
                new = text[:, (end - 1) * (n > 1) : end]
                counted = [products(lambda new=new: read(new))]
                with caching(model):  # of its own: nothing is remembered
                    counted.append(products(lambda end=end: read(text[:, :end])))
                total += counted
                explorer.controls["step"].value = n
                now, so_far = explorer.values["products"] * 1000
                np.testing.assert_allclose(now, counted)
                np.testing.assert_allclose(so_far, total)
                growth = explorer.values["growth"]
                np.testing.assert_allclose(growth[n - 1] * 1000, counted)
                assert np.isnan(growth[n:]).all()


@pytest.mark.parametrize("kind", WRITERS)
def test_numbers_that_are_kept_are_those_in_the_cache(kind):
    explorer = kv_cache(kind, step=3)
    model = build(kind)
    text = text_of(model)
    with torch.no_grad(), caching(model) as cache:
        if kind is Transformer:
            model.decode(text[:, :3], model.encode(PROMPTS[:1]))
        else:
            model(text[:, : PROMPTS.size(1) + 2])
    kept = sum(x.numel() for pair in cache.values() for x in pair.filled())
    assert drawing(explorer, "products").note == f"{kept:,} numbers are kept"


@pytest.mark.parametrize("kind", WRITERS)
def test_its_picture_at_rest_is_at_most_1000_pixels_tall(kind):
    explorer = kv_cache(kind)
    for step in (1, 5, 6, 7, 15):
        explorer.controls["step"].value = step
        picture = explorer.picture()
        assert picture.get_size_inches()[1] * picture.dpi <= 1000


@pytest.mark.parametrize(
    ("kind", "options", "naming"),
    [
        (Transformer, {"layer": 3}, "layer must be 1 to 2, got 3"),
        (Transformer, {"head": 4}, "head must be 1 to 3, got 4"),
        (Transformer, {"step": 16}, "step must be 1 to 15, got 16"),
        (Transformer, {"attention": "both"}, "attention must be one of"),
        (
            DecoderOnlyTransformer,
            {"attention": "cross-attention"},
            "attention must be 'self-attention' without an encoder",
        ),
    ],
)
def test_what_is_not_there_is_refused(kind, options, naming):
    with pytest.raises(ValueError, match=naming):
        kv_cache(kind, **options)


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ((None, 1), TypeError, "config must be a TransformerConfig"),
        ((build(Transformer).config, 0), ValueError, "new must be at least 1, got 0"),
        ((build(Transformer).config, 1, -1), ValueError, "known must be at least 0"),
        ((build(Transformer).config, 1, 0, 0), ValueError, "source must be at least 1"),
    ],
)
def test_a_pass_of_no_size_is_refused(arguments, error, naming):
    with pytest.raises(error, match=naming):
        multiplications(*arguments)
