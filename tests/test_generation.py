"""Generation: greedy, sampling and beams do what they say, cached or not."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch
from torch import nn

from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    Sampling,
    Transformer,
    TransformerConfig,
    beam_search,
    greedy,
    record,
    sample,
)
from transformer_lib.decoding import keep_top_p

END, PAD, START = 1, 0, 2
SMALL = TransformerConfig(
    vocabulary_size=11,
    d_model=12,
    n_heads=3,
    n_encoder_layers=2,
    n_decoder_layers=2,
    d_ff=24,
    max_length=16,
)
MODELS = [DecoderOnlyTransformer, Transformer]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"norm_first": True, "activation": "gelu_tanh", "positions": "learned"},
    {"bias": False, "final_norm": True, "tie_embeddings": False, "activation": "gelu"},
    {"positions": "none", "n_heads": 1},
]
PROMPTS = torch.tensor([[3, 4, 5, 6], [7, 8, 9, 10], [3, 3, 8, 4]])
RAGGED = torch.tensor([[3, 4, 5, 6], [7, 8, PAD, PAD], [PAD, PAD, PAD, 9]])


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """Steps this small wait for a second thread longer than it would help them."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def build(kind: type, seed: int = 0, sharp: float = 3.0, **options: Any) -> Any:
    """Make a model whose opinions are strong, so that equal tokens mean something."""
    torch.manual_seed(seed)
    model = kind(replace(SMALL, **options))
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1:
                p.mul_(sharp)
    return model.eval()


def settings(model: nn.Module, **options: Any) -> Decoding:
    start = START if isinstance(model, Transformer) else None
    given = {"max_length": 12, "pad_id": PAD, "start_id": start, **options}
    return Decoding(**given)


def next_log_p(model: Any, ids: torch.Tensor, text: tuple[int, ...]) -> torch.Tensor:
    """Score the next token of a text behind a prompt, by the model alone."""
    with torch.no_grad():
        if isinstance(model, Transformer):
            logits = model(ids, torch.tensor([[START, *text]]))
        else:
            logits = model(torch.cat([ids, torch.tensor([text]).long()], dim=1))
    return logits[0, -1].log_softmax(-1)


def sum_log_p(model: Any, ids: torch.Tensor, text: tuple[int, ...]) -> float:
    return sum(
        float(next_log_p(model, ids, text[:i])[token]) for i, token in enumerate(text)
    )


# ── the cache ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("ids", [PROMPTS, RAGGED])
def test_the_cache_changes_no_token_and_no_score(kind, options, ids):
    model = build(kind, **options)
    for write in (
        greedy,
        lambda *a: sample(*a, generator=torch.Generator().manual_seed(3)),
        lambda *a: beam_search(*a, 3, 0.6, n_best=2),
    ):
        fast = write(model, ids, settings(model, end_id=END))
        slow = write(model, ids, settings(model, end_id=END, use_cache=False))
        assert fast.ids.equal(slow.ids)
        torch.testing.assert_close(fast.scores, slow.scores, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_token_passes_the_stepper_as_it_passes_the_blocks(kind, options):
    model = build(kind, **options).double()
    stepped = greedy(model, RAGGED, settings(model))
    model.decoder.register_forward_hook(lambda *_: None)  # someone listens: the blocks
    passed = greedy(model, RAGGED, settings(model))
    assert stepped.ids.equal(passed.ids)
    torch.testing.assert_close(stepped.scores, passed.scores, atol=1e-12, rtol=0)


@pytest.mark.parametrize("kind", MODELS)
def test_a_part_that_was_exchanged_is_obeyed(kind):
    class Silent(nn.Module):
        def forward(self, x):
            return torch.zeros_like(x)

    model = build(kind)
    model.decoder.blocks[0].feed_forward = Silent()
    fast = greedy(model, PROMPTS, settings(model))
    slow = greedy(model, PROMPTS, settings(model, use_cache=False))
    assert fast.ids.equal(slow.ids)
    torch.testing.assert_close(fast.scores, slow.scores, atol=1e-5, rtol=0)


def test_whoever_listens_to_a_part_hears_every_token():
    model, heard = build(DecoderOnlyTransformer), []
    network = model.decoder.blocks[1].feed_forward
    network.register_forward_hook(lambda _, x, y: heard.append(y.size(1)))
    greedy(model, PROMPTS, settings(model, max_length=8))
    assert heard == [4, 1, 1, 1]


@pytest.mark.parametrize("chunks", [(1, 1, 1, 1), (2, 2), (3, 1), (1, 3), (4,)])
@pytest.mark.parametrize("ragged", [False, True])
def test_a_prompt_in_chunks_gives_the_logits_of_the_whole(chunks, ragged):
    model = build(DecoderOnlyTransformer)
    mask = positions = None
    if ragged:
        mask = torch.tensor([[1, 1, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]).bool()
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        mask = mask[:, None, None, :]
    with torch.no_grad():
        whole = model(PROMPTS, mask, positions=positions)
        cache, parts, first = model.new_cache(3, 4), [], 0
        for size in chunks:
            last = first + size
            seen = None if mask is None else mask[..., :last]
            place = None if positions is None else positions[:, first:last]
            new = PROMPTS[:, first:last]
            parts.append(model(new, seen, positions=place, cache=cache))
            first = last
    torch.testing.assert_close(torch.cat(parts, 1), whole, atol=1e-5, rtol=0)


def test_cross_attention_projects_the_source_once():
    model, calls = build(Transformer), []
    for block in model.decoder.blocks:
        W_K = block.cross_attention.W_K
        W_K.register_forward_hook(lambda *_: calls.append(1))
    beam_search(model, PROMPTS, settings(model), 3)
    assert len(calls) == len(model.decoder.blocks)


def test_generation_can_be_recorded():
    model = build(DecoderOnlyTransformer)
    quiet = greedy(model, PROMPTS, settings(model))
    with record(model) as tensors:
        watched = greedy(model, PROMPTS, settings(model))
    assert watched.ids.equal(quiet.ids)
    weights = tensors["decoder.blocks.0.self_attention.weights"]
    assert weights.shape == (3, 3, 1, 11)  # one query, and all that was read


# ── batches ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("end_id", [None, END])
@pytest.mark.parametrize("beams", [0, 3])
def test_a_prompt_is_continued_as_it_would_be_alone(kind, use_cache, end_id, beams):
    model = build(kind)
    told = settings(model, end_id=end_id, use_cache=use_cache)

    def write(ids):
        return (
            beam_search(model, ids, told, beams) if beams else greedy(model, ids, told)
        )

    together = write(RAGGED)
    for row, ids in enumerate(RAGGED):
        alone = write(ids[ids != PAD][None])
        text = alone.ids.flatten()
        mine = together.ids[row].flatten()
        assert mine[: len(text)].equal(text)
        assert (mine[len(text) :] == PAD).all()
        score = together.scores[row].flatten()
        torch.testing.assert_close(score, alone.scores.flatten(), atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", MODELS)
def test_it_does_not_matter_on_which_side_the_padding_stands(kind):
    model = build(kind)
    left = torch.tensor([[3, 4, 5, 6], [PAD, PAD, 7, 8], [PAD, 9, 10, 3]])
    right = torch.tensor([[3, 4, 5, 6], [7, 8, PAD, PAD], [9, 10, 3, PAD]])
    one, other = (greedy(model, ids, settings(model)) for ids in (left, right))
    assert one.ids.equal(other.ids)
    torch.testing.assert_close(one.scores, other.scores, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", MODELS)
def test_columns_of_padding_alone_take_no_room(kind):
    model, told = build(kind), settings(build(kind), max_length=6)
    wide = torch.nn.functional.pad(RAGGED, (3, 5), value=PAD)
    close, apart = (greedy(model, ids, told) for ids in (RAGGED, wide))
    assert close.ids.equal(apart.ids)
    torch.testing.assert_close(close.scores, apart.scores)


@pytest.mark.parametrize("kind", MODELS)
def test_an_empty_batch_gives_an_empty_batch(kind):
    model, none = build(kind), torch.zeros(0, 3, dtype=torch.long)
    assert greedy(model, none, settings(model)).ids.size(0) == 0
    assert sample(model, none, settings(model)).scores.shape == (0,)
    assert beam_search(model, none, settings(model), 2, n_best=2).scores.shape == (0, 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("kind", MODELS)
def test_other_number_types_generate_too(kind, dtype):
    model = build(kind).to(dtype)
    scores = greedy(model, RAGGED, settings(model)).scores
    assert scores.isfinite().all()
    beam_search(model, RAGGED, settings(model), 2)
    sample(model, RAGGED, settings(model))


def test_ids_of_32_bits_are_as_good():
    model = build(DecoderOnlyTransformer)
    wide, narrow = (greedy(model, x, settings(model)) for x in (RAGGED, RAGGED.int()))
    assert wide.ids.equal(narrow.ids)


# ── ends ──────────────────────────────────────────────────────────────────────────────
def ending(model: Any) -> tuple[int, torch.Tensor]:
    """Find a token that the model writes early on its own, to serve as an end."""
    ids = greedy(model, PROMPTS[:1], settings(model)).ids[0]
    free = ids[1:] if isinstance(model, Transformer) else ids[4:]
    return int(free[2]), free


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("use_cache", [True, False])
def test_the_end_token_ends_a_text_and_padding_follows(kind, use_cache):
    model = build(kind, seed=5)
    end, free = ending(model)
    told = settings(model, end_id=end, use_cache=use_cache)
    texts = greedy(model, PROMPTS, told).ids
    n = int((free == end).nonzero()[0]) + 1
    skip = 1 if kind is Transformer else 4
    assert texts[0, skip : skip + n].equal(free[:n])
    assert (texts[0, skip + n :] == PAD).all()


def test_nothing_is_read_once_every_text_has_ended():
    model, calls = build(DecoderOnlyTransformer, seed=5), []
    end, free = ending(model)
    n = int((free == end).nonzero()[0]) + 1
    model.decoder.register_forward_hook(lambda *_: calls.append(1))
    for write in (greedy, lambda *a: beam_search(*a, 1)):
        calls.clear()
        write(model, PROMPTS[:1], settings(model, end_id=end))
        assert len(calls) == n  # the prompt, and n − 1 tokens


def test_without_padding_the_end_token_fills_what_follows():
    model = build(DecoderOnlyTransformer, seed=5)
    end, _ = ending(model)
    ids = PROMPTS[PROMPTS.ne(end).all(1)]
    texts = greedy(model, ids, settings(model, end_id=end, pad_id=None)).ids
    for text in texts:
        after = (text == end).cumsum(0) > 0
        assert (text[after] == end).all()


@pytest.mark.parametrize("kind", MODELS)
def test_no_text_is_longer_than_max_length(kind):
    model = build(kind)
    for length in (5, 16):
        told = settings(model, max_length=length)
        assert greedy(model, RAGGED, told).ids.shape == (3, length)
        assert beam_search(model, RAGGED, told, 2).ids.shape == (3, 1, length)


def test_the_result_begins_with_the_prompt():
    model = build(DecoderOnlyTransformer)
    texts = greedy(model, RAGGED, settings(model)).ids
    assert texts[0, :4].equal(RAGGED[0])
    assert texts[1, :2].equal(RAGGED[1, :2])
    assert texts[2, :1].equal(RAGGED[2, 3:])


# ── greedy ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", MODELS)
def test_greedy_writes_the_likeliest_token_each_time(kind):
    model, text = build(kind), ()
    found = greedy(model, PROMPTS[:1], settings(model, max_length=8))
    for token in found.ids[0, 1 if kind is Transformer else 4 :].tolist():
        assert int(next_log_p(model, PROMPTS[:1], text).argmax()) == token
        text += (token,)
    expected = sum_log_p(model, PROMPTS[:1], text)
    assert float(found.scores) == pytest.approx(expected, abs=1e-4)


# ── sampling ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    "sampling", [Sampling(top_k=1), Sampling(top_p=1e-9), Sampling(temperature=1e-6)]
)
def test_sampling_with_no_choice_left_is_greedy(kind, sampling):
    model = build(kind)
    drawn = sample(model, RAGGED, settings(model, end_id=END), sampling)
    best = greedy(model, RAGGED, settings(model, end_id=END))
    assert drawn.ids.equal(best.ids)
    torch.testing.assert_close(drawn.scores, best.scores)


def test_one_seed_gives_one_text_and_another_seed_another():
    model = build(DecoderOnlyTransformer, sharp=0.5)
    a, b, c = (
        sample(model, PROMPTS, settings(model), None, torch.Generator().manual_seed(s))
        for s in (1, 1, 2)
    )
    assert a.ids.equal(b.ids)
    assert not a.ids.equal(c.ids)


@pytest.mark.parametrize("generator", [None, torch.Generator()])
def test_the_global_seed_is_not_touched(generator):
    model = build(DecoderOnlyTransformer)
    before = torch.get_rng_state()
    sample(model, PROMPTS, settings(model), None, generator)
    assert torch.get_rng_state().equal(before)


def test_without_a_generator_two_draws_differ():
    model = build(DecoderOnlyTransformer, sharp=0.1)
    many = PROMPTS.repeat(4, 1)
    one, other = (sample(model, many, settings(model)) for _ in range(2))
    assert not one.ids.equal(other.ids)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_frequencies_follow_the_softmax_with_temperature(temperature):
    model, n = build(DecoderOnlyTransformer, sharp=0.5), 20_000
    told = settings(model, max_length=5)
    drawn = sample(
        model,
        PROMPTS[:1].expand(n, -1),
        told,
        Sampling(temperature=temperature),
        torch.Generator().manual_seed(0),
    )
    counts = drawn.ids[:, 4].bincount(minlength=11).double()
    p = (next_log_p(model, PROMPTS[:1], ()).double() / temperature).softmax(-1)
    chi_squared = ((counts - n * p) ** 2 / (n * p)).sum()
    assert chi_squared < 29.6  # 10 degrees of freedom: passed with probability 0.999


def test_top_k_keeps_the_k_likeliest_in_their_proportions():
    logits = torch.randn(50, 11, generator=torch.Generator().manual_seed(0))
    for k in range(1, 12):
        p = Sampling(top_k=k).probabilities(logits)
        whole = logits.softmax(-1)
        kept = p > 0
        assert (kept.sum(-1) == k).all()
        least = whole.masked_fill(~kept, 2.0).amin(-1)
        assert (least >= whole.masked_fill(kept, -1.0).amax(-1)).all()
        expected = whole * kept / (whole * kept).sum(-1, keepdim=True)
        torch.testing.assert_close(p, expected)


@pytest.mark.parametrize("top_p", [0.1, 0.5, 0.9, 0.999, 1.0])
def test_top_p_keeps_the_fewest_tokens_that_reach_p(top_p):
    logits = 2 * torch.randn(50, 11, generator=torch.Generator().manual_seed(0))
    p = Sampling(top_p=top_p).probabilities(logits)
    for row, whole in zip(p, logits.double().softmax(-1), strict=True):
        ordered = whole.sort(descending=True)
        n = next(i for i in range(1, 12) if ordered[0][:i].sum() >= top_p - 1e-12)
        nucleus = ordered[1][:n]
        assert set(row.nonzero().flatten().tolist()) == set(nucleus.tolist())
        assert float(row.sum()) == pytest.approx(1, abs=1e-6)


def test_a_nucleus_of_exactly_p_needs_no_further_token():
    p = keep_top_p(torch.tensor([0.5, 0.25, 0.25]), 0.75)
    torch.testing.assert_close(p, torch.tensor([2 / 3, 1 / 3, 0]))


def test_drawn_tokens_never_leave_the_nucleus():
    model, n = build(DecoderOnlyTransformer, sharp=0.5), 2_000
    sampling = Sampling(temperature=1.5, top_k=5, top_p=0.7)
    told = settings(model, max_length=5)
    ids = sample(model, PROMPTS[:1].expand(n, -1), told, sampling).ids[:, 4]
    p = sampling.probabilities(next_log_p(model, PROMPTS[:1], ()))
    assert set(ids.tolist()) <= set(p.nonzero().flatten().tolist())
    assert 1 < p.count_nonzero() < 5


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("temperature", [1e-300, 1e-30, 1e30, 1e300])
def test_extreme_temperatures_stay_finite(temperature, dtype):
    logits = torch.tensor([1.0, 3.0, -2.0], dtype=dtype)
    p = Sampling(temperature=temperature).probabilities(logits)
    target = [0, 1, 0] if temperature < 1 else [1 / 3] * 3
    torch.testing.assert_close(p, torch.tensor(target, dtype=dtype))


def test_scores_of_samples_are_the_models_own():
    model = build(DecoderOnlyTransformer, sharp=0.5)
    told = settings(model, max_length=7)
    found = sample(model, PROMPTS[:1], told, Sampling(temperature=3.0, top_k=4))
    expected = sum_log_p(model, PROMPTS[:1], tuple(found.ids[0, 4:].tolist()))
    assert float(found.scores) == pytest.approx(expected, abs=1e-4)


# ── beams ─────────────────────────────────────────────────────────────────────────────
TINY = {"vocabulary_size": 5, "d_model": 6, "n_heads": 2, "d_ff": 8, "sharp": 2.0}


def every_text(model: Any, ids: torch.Tensor, n: int, penalty: float) -> list[Any]:
    """Score every text that ends with END or has n tokens, the best first."""
    texts = {
        t[: t.index(END) + 1] if END in t else t for t in product(range(5), repeat=n)
    }
    weigh = {t: sum_log_p(model, ids, t) / ((5 + len(t)) / 6) ** penalty for t in texts}
    return sorted(weigh.items(), key=lambda item: -item[1])


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", [0, 1])
def test_one_beam_is_greedy(kind, seed):
    model = build(kind, seed)
    for penalty in (0.0, 0.6, 2.0):
        for end_id in (None, END, ending(model)[0]):
            told = settings(model, end_id=end_id)
            beam, best = (
                beam_search(model, RAGGED, told, 1, penalty),
                greedy(model, RAGGED, told),
            )
            assert beam.ids[:, 0].equal(best.ids)
    plain = beam_search(model, RAGGED, settings(model), 1)
    expected = greedy(model, RAGGED, settings(model)).scores
    torch.testing.assert_close(plain.scores[:, 0], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", [0, 1])
def test_enough_beams_find_the_best_of_all_texts(kind, seed):
    model, ids = build(kind, seed, **TINY), torch.tensor([[3, 4]])
    length = 3 if kind is Transformer else 4  # two tokens to write
    told = settings(model, max_length=length, end_id=END, pad_id=None)
    for penalty in (0.0, 1.0, 3.0):
        best = every_text(model, ids, 2, penalty)
        found = beam_search(model, ids, told, 5, penalty, n_best=3)  # 5 prefixes: all
        for i in range(3):
            text = found.ids[0, i, length - 2 :].tolist()
            assert tuple(text[: len(best[i][0])]) == best[i][0]
            assert float(found.scores[0, i]) == pytest.approx(best[i][1], abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_no_beam_promises_more_than_the_best_of_all_texts(seed):
    model, ids = build(DecoderOnlyTransformer, seed, **TINY), torch.tensor([[3, 4]])
    told = settings(model, max_length=6, end_id=END, pad_id=None)
    best = every_text(model, ids, 4, 0.6)
    scores = [float(beam_search(model, ids, told, k, 0.6).scores) for k in range(1, 6)]
    assert max(scores) <= best[0][1] + 1e-5
    assert scores[-1] == pytest.approx(best[0][1], abs=1e-5)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", range(4))
def test_many_beams_are_no_worse_than_greedy_here(kind, seed):
    """No law: likelier beginnings may crowd out the one that greedy would take."""
    model = build(kind, seed, sharp=1.5)
    told = settings(model, end_id=END)
    best = greedy(model, PROMPTS, told).scores
    found = beam_search(model, PROMPTS, told, 11).scores[:, 0]
    assert (found >= best - 1e-5).all()


def test_beams_look_further_than_greedy():
    gains = []
    for seed in range(4):
        model = build(DecoderOnlyTransformer, seed, sharp=1.5)
        told = settings(model)
        found = beam_search(model, PROMPTS, told, 6).scores[:, 0]
        gains.append(found - greedy(model, PROMPTS, told).scores)
    assert torch.stack(gains).max() > 0.1


@pytest.mark.parametrize("kind", MODELS)
def test_the_n_best_are_sorted_and_distinct_and_scored_as_they_are(kind):
    model = build(kind, sharp=1.5)
    found = beam_search(model, PROMPTS, settings(model, end_id=END), 6, 0.8, n_best=6)
    assert (found.scores.diff(dim=1) <= 0).all()
    skip = 1 if kind is Transformer else 4
    for row in range(3):
        texts = [tuple(t) for t in found.ids[row, :, skip:].tolist()]
        assert len(set(texts)) == 6
        for text, score in zip(texts, found.scores[row], strict=True):
            own = text[: text.index(END) + 1] if END in text else text
            expected = sum_log_p(model, PROMPTS[row : row + 1], own)
            expected /= ((5 + len(own)) / 6) ** 0.8
            assert float(score) == pytest.approx(expected, abs=1e-4)


def test_the_first_of_n_best_is_the_best_alone():
    model = build(DecoderOnlyTransformer, sharp=1.5)
    told = settings(model, end_id=END)
    one, four = (beam_search(model, RAGGED, told, 4, 0.6, n_best=n) for n in (1, 4))
    torch.testing.assert_close(one.scores[:, 0], four.scores[:, 0])
    width = one.ids.size(2)
    assert one.ids[:, 0].equal(four.ids[:, 0, :width])


def test_a_length_penalty_prefers_longer_texts():
    lengths = []
    for penalty in (0.0, 1.0, 4.0):
        total = 0
        for seed in range(4):
            model = build(DecoderOnlyTransformer, seed, sharp=0.7)
            told = settings(model, end_id=END)
            texts = beam_search(model, PROMPTS, told, 8, penalty).ids
            total += int((texts != PAD).sum())
        lengths.append(total)
    assert lengths[0] < lengths[1] <= lengths[2]
    assert lengths[0] < lengths[2]


# ── the model is left as it was ───────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", MODELS)
def test_a_model_in_training_writes_as_in_evaluation_and_goes_on_training(kind):
    model = build(kind, dropout=0.5)
    expected = greedy(model, PROMPTS, settings(model))
    model.train()
    model.decoder.blocks[0].eval()  # a frozen part stays frozen
    modes = [part.training for part in model.modules()]
    found = greedy(model, PROMPTS, settings(model))
    beam_search(model, PROMPTS, settings(model), 2)
    sample(model, PROMPTS, settings(model))
    assert found.ids.equal(expected.ids)
    assert [part.training for part in model.modules()] == modes


def test_the_mode_comes_back_after_an_error_too():
    model = build(DecoderOnlyTransformer).train()
    with pytest.raises(IndexError):
        greedy(model, PROMPTS + 90, settings(model))
    assert model.training
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("kind", MODELS)
def test_no_gradient_is_made_and_results_can_be_trained_on(kind):
    model = build(kind)
    told = settings(model)
    for found in (
        greedy(model, PROMPTS, told),
        sample(model, PROMPTS, told),
        beam_search(model, PROMPTS, told, 2),
    ):
        assert not found.scores.requires_grad
        assert not found.ids.is_inference()
        assert not found.scores.is_inference()
        texts = found.ids.flatten(0, -2)
        source = (texts,) if kind is DecoderOnlyTransformer else (texts, texts)
        model(*source).sum().backward()


@pytest.mark.parametrize("kind", MODELS)
def test_the_prompt_and_the_weights_are_not_changed(kind):
    model, ids = build(kind), RAGGED.clone()
    before = {name: p.clone() for name, p in model.state_dict().items()}
    greedy(model, ids, settings(model))
    beam_search(model, ids, settings(model), 3)
    assert ids.equal(RAGGED)
    assert all(p.equal(before[name]) for name, p in model.state_dict().items())
