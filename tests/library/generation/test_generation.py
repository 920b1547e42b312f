"""Generation: cached or not, in any batch, a text is what it would be alone."""

import pytest
import torch
from small import (
    END,
    PAD,
    PROMPTS,
    RAGGED,
    WRITERS,
    build,
    ending,
    next_log_p,
    settings,
    sum_log_p,
    told,
)
from torch import nn

from transformer_lib import (
    DecoderOnlyTransformer,
    Transformer,
    beam_search,
    caching,
    greedy,
    record,
    sample,
)
from transformer_lib.runtime.module import evaluating

OPTIONS = [
    {},
    {"norm_first": True, "activation": "gelu_tanh", "positions": "learned"},
    {"bias": False, "final_norm": True, "tie_embeddings": False, "activation": "gelu"},
    {"positions": "none", "n_heads": 1},
]


# ── the cache ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", WRITERS)
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


@pytest.mark.parametrize("kind", WRITERS)
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
    whole = model(PROMPTS, mask, positions)
    parts, first = [], 0
    with caching(model):
        for size in chunks:
            last = first + size
            seen = None if mask is None else mask[..., :last]
            place = None if positions is None else positions[:, first:last]
            parts.append(model(PROMPTS[:, first:last], seen, place))
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


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("ids", [PROMPTS, RAGGED])
def test_a_prompt_is_read_once_for_all_of_its_beams(ids, use_cache):
    model, rows = build(DecoderOnlyTransformer), []
    model.decoder.register_forward_hook(lambda _, x, y: rows.append(len(y)))
    told = settings(model, max_length=6, use_cache=use_cache)
    beam_search(model, ids, told, 4)
    assert rows[0] == 3
    assert set(rows[1:]) == {12}


# ── batches ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", WRITERS)
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


@pytest.mark.parametrize("kind", WRITERS)
def test_it_does_not_matter_on_which_side_the_padding_stands(kind):
    model = build(kind)
    left = torch.tensor([[3, 4, 5, 6], [PAD, PAD, 7, 8], [PAD, 9, 10, 3]])
    right = torch.tensor([[3, 4, 5, 6], [7, 8, PAD, PAD], [9, 10, 3, PAD]])
    one, other = (greedy(model, ids, settings(model)) for ids in (left, right))
    assert one.ids.equal(other.ids)
    torch.testing.assert_close(one.scores, other.scores, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", WRITERS)
def test_columns_of_padding_alone_take_no_room(kind):
    model, told = build(kind), settings(build(kind), max_length=6)
    wide = torch.nn.functional.pad(RAGGED, (3, 5), value=PAD)
    close, apart = (greedy(model, ids, told) for ids in (RAGGED, wide))
    assert close.ids.equal(apart.ids)
    torch.testing.assert_close(close.scores, apart.scores)


@pytest.mark.parametrize("kind", WRITERS)
def test_an_empty_batch_gives_an_empty_batch(kind):
    model, none = build(kind), torch.zeros(0, 3, dtype=torch.long)
    assert greedy(model, none, settings(model)).ids.size(0) == 0
    assert sample(model, none, settings(model)).scores.shape == (0,)
    assert beam_search(model, none, settings(model), 2, n_best=2).scores.shape == (0, 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("kind", WRITERS)
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
@pytest.mark.parametrize("kind", WRITERS)
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


@pytest.mark.parametrize("kind", WRITERS)
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
@pytest.mark.parametrize("kind", WRITERS)
def test_greedy_writes_the_most_likely_token_each_time(kind):
    model, text = build(kind), ()
    found = greedy(model, PROMPTS[:1], settings(model, max_length=8))
    for token in found.ids[0, 1 if kind is Transformer else 4 :].tolist():
        assert int(next_log_p(model, PROMPTS[:1], text).argmax()) == token
        text += (token,)
    expected = sum_log_p(model, PROMPTS[:1], text)
    assert float(found.scores) == pytest.approx(expected, abs=1e-4)


# ── the model is left as it was ───────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", WRITERS)
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


def test_a_patched_forward_of_a_model_in_training_writes_as_in_evaluation():
    model = build(DecoderOnlyTransformer, dropout=0.5)
    expected = greedy(model, PROMPTS, settings(model))
    forward = model.forward
    model.forward = lambda *given: forward(*given)
    model.train()
    for _ in range(5):
        found = greedy(model, PROMPTS, settings(model))
        assert found.ids.equal(expected.ids)
        assert found.scores.equal(expected.scores)
    assert model.training


def test_no_mode_of_a_model_in_evaluation_is_touched():
    model, touched = build(DecoderOnlyTransformer), []

    class Watched(nn.Identity):
        def __setattr__(self, name, value):
            touched.append(name)
            super().__setattr__(name, value)

    model.extra = Watched().eval()
    touched.clear()
    greedy(model, PROMPTS, settings(model))
    assert touched == []


def test_dropout_in_an_exchanged_part_rests_too():
    model = build(DecoderOnlyTransformer)
    part = model.decoder.blocks[0].feed_forward
    model.decoder.blocks[0].feed_forward = nn.Sequential(part, nn.Dropout(0.5))
    expected = greedy(model, PROMPTS, settings(model))
    assert greedy(model.train(), PROMPTS, settings(model)).ids.equal(expected.ids)


def test_a_model_in_training_can_be_recorded_and_heard_while_it_writes():
    model, heard = build(DecoderOnlyTransformer).train(), []
    model.decoder.blocks[0].register_forward_hook(lambda *_: heard.append(1))
    with record(model) as tensors:
        greedy(model, PROMPTS, settings(model, max_length=6))
    assert tensors["decoder.blocks.1.self_attention.weights"].shape == (3, 3, 1, 5)
    assert len(heard) == 2


def test_every_part_gets_its_own_mode_back():
    model = build(DecoderOnlyTransformer).train()
    blocks = model.decoder.blocks
    blocks[1].feed_forward = blocks[0].feed_forward
    blocks[0].self_attention.eval()
    modes = [part.training for part in model.modules()]
    with evaluating(model):
        assert not any(part.training for part in model.modules())
    assert [part.training for part in model.modules()] == modes


def test_only_a_module_can_be_evaluated():
    says = "^model must be a torch module, got str"
    with pytest.raises(TypeError, match=says), evaluating("gpt"):
        pass


def test_the_mode_comes_back_after_an_error_too():
    model = build(DecoderOnlyTransformer).train()
    with pytest.raises(IndexError):
        greedy(model, PROMPTS + 90, settings(model))
    assert model.training
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("kind", WRITERS)
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


@pytest.mark.parametrize("kind", WRITERS)
def test_the_prompt_and_the_weights_are_not_changed(kind):
    model, ids = build(kind), RAGGED.clone()
    before = {name: p.clone() for name, p in model.state_dict().items()}
    greedy(model, ids, settings(model))
    beam_search(model, ids, settings(model), 3)
    assert ids.equal(RAGGED)
    assert all(p.equal(before[name]) for name, p in model.state_dict().items())


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


def test_generation_stops_once_every_text_has_ended():
    model, passes = build(DecoderOnlyTransformer), []
    script = torch.tensor([[3, 4, 5], [END, 4, 5], [3, END, 5]])  # (B, steps)

    def logits(x):
        passes.append(1)
        rows = torch.eye(11)[script[:, len(passes) - 1]]
        return rows[:, None].expand(-1, x.size(1), -1)

    model.embedding.logits = logits
    texts = greedy(model, RAGGED, settings(model, max_length=6, end_id=END)).ids
    assert len(passes) == 2  # the first text is full, and the others have their end
    expected = [[3, 4, 5, 6, 3, 4], [7, 8, END, 0, 0, 0], [9, 3, END, 0, 0, 0]]
    assert texts.tolist() == expected


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
