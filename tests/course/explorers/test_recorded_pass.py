"""A recorded pass as a sheet: every number of it is what its explanation comes to."""

import copy

import numpy as np
import pytest
import torch
from explanations import recomputed

from course.data.grammar_sentences import SENTENCES, read
from course.explorers.recorded import Labels, RecordedPass
from course.models import jobs
from course.models.next_word import load_heads
from course.models.vision import VisionTransformer
from explorable import Axis, Explorer, Sheet
from explorable.drawings.links import AttentionLinks
from transformer_lib import (
    Decoder,
    DecoderOnlyTransformer,
    Encoder,
    EncoderOnlyTransformer,
    Transformer,
    TransformerConfig,
    causal_mask,
    padding_mask,
)
from transformer_lib.model.norms import LayerNorm
from transformer_lib.runtime.caching import caching
from transformer_lib.runtime.patching import patch
from transformer_lib.runtime.recording import record

V, D, H = 11, 12, 3
START = "Ajish works as an AI"


def config(**options):
    sizes = {"n_encoder_layers": 2, "n_decoder_layers": 2, "d_ff": 7, "max_length": 9}
    every = sizes | {"vocabulary_size": V, "d_model": D, "n_heads": H} | options
    return TransformerConfig(**every)


def ids(length, batch=2):
    made = torch.Generator().manual_seed(length)
    return torch.randint(V, (batch, length), generator=made)


def build(kind, dtype=torch.float64, **options):
    """A model whose biases, γ and β are not the 0 and 1 that they begin as."""
    torch.manual_seed(0)
    model = kind(config(**options)).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.3 * torch.randn_like(p))
    return model.to(dtype)


def recorded(model, *args, **more):
    with torch.no_grad(), record(model) as tensors:
        model(*args, **more)
    return tensors


def tables(seen, names):
    """The table of every name, of every head."""
    for name in names:
        count = seen.places.count_heads(name)
        yield from (seen.table(name, h) for h in (range(count) if count else [None]))


def stands(table):
    """Whether a row stands for itself: no operation gives it."""
    return table.provenance["op"] == "leaf" or "changed" in table.provenance


def is_explained(seen, names, close=1e-9, given=()):
    """Every cell is what its explanation comes to, and only `given` has none."""
    for table in tables(seen, names):
        bare = table.name.partition("[")[0]
        assert stands(table) == (bare in given), table.name
        if table.provenance["op"] == "leaf":
            continue
        np.testing.assert_allclose(
            recomputed(seen.sheet.arrays, table.name, table.provenance),
            table.values,
            rtol=0,
            atol=close,
            err_msg=table.name,
        )


def has_its_numbers(seen, tensors, batch=0):
    """A table shows what was recorded, and nothing that was computed again."""
    for name, x in tensors.items():
        own = x[batch] if x.dim() > 2 else x
        heads = own if own.dim() == 3 else own[None]
        for table, values in zip(tables(seen, [name]), heads, strict=True):
            np.testing.assert_array_equal(table.values, values.double().numpy())


def pass_of(name, dtype, batch=0):
    """A pass of a trained model, of two sentences: the model and what was recorded."""
    if name == "jobs":
        model, starts = copy.deepcopy(jobs.trained()), (START, "Mia works as a ship")
        source = torch.cat([jobs._encoded(start) for start in starts])
        first = torch.full((2, 1), jobs.VOCABULARY.sos_id)
        given = source, torch.cat([first, source], dim=1)
        labels = Labels(
            words=[jobs.SOS, *starts[batch].split()],
            source=starts[batch].split(),
            vocabulary=jobs.VOCABULARY.words,
        )
    else:
        model, vocabulary = load_heads(name)
        said = [read(sentence)[:6] for sentence in SENTENCES[:3]]
        given = (torch.tensor([vocabulary.encode(words) for words in said]),)
        labels = Labels(words=said[batch], vocabulary=vocabulary.words)
    model = model.to(dtype)
    tensors = recorded(model, *given)
    return RecordedPass(Sheet(), model, tensors, labels, batch=batch), tensors


# ── the trained models ───────────────────────────────────────────────────────────
@pytest.mark.parametrize("batch", [0, 1])
@pytest.mark.parametrize("name", ["jobs", "taught", "free"])
def test_every_number_of_a_trained_models_pass_is_what_its_explanation_comes_to(
    name, batch
):
    seen, tensors = pass_of(name, torch.float64, batch)
    has_its_numbers(seen, tensors, batch)
    is_explained(seen, tensors)


@pytest.mark.parametrize("name", ["jobs", "taught", "free"])
def test_a_pass_in_float32_is_explained_up_to_its_own_rounding(name):
    """Numbers of some tens, each a sum of up to 256 products: 256 · 2⁻²⁴ · 32."""
    seen, tensors = pass_of(name, torch.float32)
    has_its_numbers(seen, tensors)
    is_explained(seen, tensors, close=5e-4)


LEARNED = {"weight", "mask", "bias", "gamma", "beta"} | {
    f"W_{letter}" for letter in "QKVO12"
}
BETWEEN = {
    "encoder.blocks.0.self_attention": "mask joined W_Q W_K W_V W_O W_O.bias W_Q.bias",
    "decoder.blocks.0.cross_attention": "mask joined W_Q W_K W_V W_O",
    "decoder.blocks.0.feed_forward": "sums W_1 W_2 W_1.bias W_2.bias",
    "decoder.blocks.0.add_norm_3.norm": "mean moved square variance root gamma beta",
}


def test_what_lies_between_recorded_tensors_is_explained_too():
    seen, _ = pass_of("jobs", torch.float64)
    names = [f"{part}.{field}" for part in BETWEEN for field in BETWEEN[part].split()]
    names.append("embedding.weight")
    learned = {name for name in names if name.split(".")[-1] in LEARNED}
    is_explained(seen, names, given=learned)


# ── every model ──────────────────────────────────────────────────────────────────
CHOICES = {
    "as in the paper": {},
    "pre-norm": {"norm_first": True},
    "final norm": {"final_norm": True},
    "untied": {"tie_embeddings": False},
    "learned positions": {"positions": "learned"},
    "no positions": {"positions": "none"},
    "GELU": {"activation": "gelu"},
    "GELU by tanh, no bias, pre-norm": {
        "activation": "gelu_tanh",
        "bias": False,
        "norm_first": True,
    },
    "one head, one layer": {"n_heads": 1, "n_encoder_layers": 1, "n_decoder_layers": 1},
}


@pytest.mark.parametrize("options", CHOICES.values(), ids=list(CHOICES))
@pytest.mark.parametrize(
    "kind", [Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer]
)
def test_every_model_of_ours_explains_its_pass_under_padding(kind, options):
    model = build(kind, **options)
    padding = padding_mask(torch.tensor([5, 3]))
    args = (ids(5), ids(4), padding) if kind is Transformer else (ids(5), padding)
    tensors = recorded(model, *args)
    free = {n for n in tensors if n.endswith("positions") and "positions" in options}
    free = free if options.get("positions") == "none" else set()
    for batch in (0, 1):
        seen = RecordedPass(Sheet(), model, tensors, batch=batch)
        has_its_numbers(seen, tensors, batch)
        is_explained(seen, tensors, given=free)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("part", ["", "blocks.0", "blocks.1.cross_attention"])
def test_a_part_alone_is_explained_from_what_it_was_called_with(part, norm_first):
    model = build(Decoder, norm_first=norm_first).get_submodule(part)
    x, memory = torch.randn(2, 4, D).double(), torch.randn(2, 5, D).double()
    tensors = recorded(model, x, memory)
    is_explained(RecordedPass(Sheet(), model, tensors), tensors)


def test_what_came_from_outside_is_called_by_the_words_of_its_side():
    model = build(Decoder)
    x, memory = torch.randn(2, 4, D).double(), torch.randn(2, 5, D).double()
    labels = Labels(words=[*"abcd"], source=[*"vwxyz"])
    seen = RecordedPass(Sheet(), model, recorded(model, x, memory), labels)
    for step, words, came in (("q", "abcd", x), ("k", "vwxyz", memory)):
        part = "self" if step == "q" else "cross"
        name = f"blocks.0.{part}_attention.{step}"
        given = seen.table(seen.places.received(name))
        assert given.rows.labels == (*words,)
        np.testing.assert_array_equal(given.values, came[0])


def test_where_what_came_in_is_not_known_numbers_stand_for_themselves():
    encoder = build(Encoder)
    tensors = recorded(encoder, torch.randn(2, 4, D).double())
    ends = "q", "k", "v", "sum", "hidden", "norm", "add_norm_1", "add_norm_2"
    free = {name for name in tensors if name.rpartition(".")[-1] in (*ends, "0", "1")}
    plain = RecordedPass(Sheet(), encoder, dict(tensors))
    is_explained(plain, tensors, given=free | {"output"})


def test_a_model_in_a_module_of_ones_own_is_explained_too():
    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.reader = build(EncoderOnlyTransformer)
            self.answer = torch.nn.Linear(D, 2).double()

        def forward(self, given):
            return self.answer(self.reader(given))

    model = Reader()
    tensors = recorded(model, ids(4))
    is_explained(RecordedPass(Sheet(), model, tensors), tensors, given={"output"})


class Parallel(torch.nn.Module):
    """A block of one's own: attention and feed-forward read the same norm's output."""

    def __init__(self):
        super().__init__()
        block = build(Encoder).blocks[0]
        self.before = block.add_norm_1.norm
        self.look = block.self_attention
        self.think = block.feed_forward

    def forward(self, x):
        seen = self.before(x)
        return x + self.look(seen, seen) + self.think(seen)


def test_a_module_that_is_built_of_our_parts_in_another_way_is_explained():
    model = torch.nn.Sequential(Parallel(), Parallel())
    tensors = recorded(model, torch.randn(2, 4, D).double())
    seen = RecordedPass(Sheet(), model, tensors)
    is_explained(seen, tensors, given={"0", "1", "output"})
    name = "1.before"
    assert seen.table(name).provenance["inputs"][0] == "0"
    for part in ("1.look.q", "1.look.v", "1.think.sums"):
        head = 0 if "look" in part else None
        assert seen.table(part, head).provenance["inputs"][0] == name


def test_a_vision_transformer_is_explained_from_its_patches_on():
    model = VisionTransformer(config(max_length=10), 1, 6, 2).eval()
    tensors = recorded(model, torch.rand(2, 1, 6, 6))
    seen = RecordedPass(Sheet(), model, tensors)
    is_explained(seen, tensors.keys() - {"patches"}, close=1e-5)


# ── what was changed on its way ──────────────────────────────────────────────────
def test_a_row_that_was_replaced_says_so_and_what_follows_is_explained():
    def in_row_2(x):
        x[:, 2] = 7.0
        return x

    model, name = build(EncoderOnlyTransformer), "encoder.blocks.0.self_attention.heads"
    with patch(model, {(name, 1): in_row_2}):
        tensors = recorded(model, ids(4))
    seen = RecordedPass(Sheet(), model, tensors)
    table = seen.table(name, 1)
    assert (table.provenance["op"], table.provenance["changed"]) == ("matmul", [2])
    assert (table.values[2] == 7.0).all()
    is_explained(seen, tensors.keys() - {name})
    assert not stands(seen.table(name, 0))


@pytest.mark.parametrize("kind", [Transformer, DecoderOnlyTransformer])
def test_a_tensor_that_was_replaced_is_not_explained_and_all_that_follows_is(kind):
    """A norm's output may be its block's as well: then both were replaced."""
    model = build(kind, n_encoder_layers=1, n_decoder_layers=1)
    args = (ids(4), ids(3)) if kind is Transformer else (ids(4),)
    for name in recorded(model, *args):
        with patch(model, {name: lambda x: x.flip(-2) * 1.5 + 0.1}):
            tensors = recorded(model, *args)
        same = {n for n, x in tensors.items() if torch.equal(x, tensors[name])}
        each = tables(RecordedPass(Sheet(), model, tensors), tensors)
        found = {t.name.partition("[")[0] for t in each if stands(t)}
        assert found == same


def test_what_dropout_took_is_not_explained_by_what_it_was_taken_from():
    model = build(EncoderOnlyTransformer, dropout=0.5).train()
    tensors = recorded(model, ids(4))
    seen = RecordedPass(Sheet(), model, tensors)
    [*heads] = tables(seen, ["encoder.blocks.0.self_attention.heads"])
    assert any(stands(table) for table in heads)
    is_explained(seen, ["encoder.blocks.0.self_attention.weights"])
    for table in tables(seen, tensors):
        shown = recomputed(seen.sheet.arrays, table.name, table.provenance)
        np.testing.assert_allclose(shown, table.values, atol=1e-6, rtol=0)


def test_zeros_in_the_place_of_one_heads_weights_are_no_mask():
    model, name = build(EncoderOnlyTransformer), "encoder.blocks.0.self_attention"
    tensors = recorded(model, ids(4))
    weights = tensors[f"{name}.weights"].clone()
    weights[0, 1] = 0
    weights[0, 2, 3, 1] = 0
    tensors[f"{name}.weights"] = weights
    seen = RecordedPass(Sheet(), model, tensors)
    removed, cut, whole = (seen.table(f"{name}.weights", h) for h in (1, 2, 0))
    changed = [one.provenance.get("changed") for one in (removed, cut, whole)]
    assert changed == [[0, 1, 2, 3], [3], None]


# ── a cache ──────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", [DecoderOnlyTransformer, Transformer])
def test_inside_a_cache_the_last_words_are_queries_and_all_are_keys(kind):
    model, words = build(kind), ["a", "b", "c", "d"]
    source = (ids(3),) if kind is Transformer else ()
    with torch.no_grad(), caching(model), record(model) as tensors:
        model(*source, ids(4)[:, :3])
        model(*source, ids(4)[:, 3:])
    at = "decoder.blocks.1.self_attention"
    seen = RecordedPass(Sheet(), model, tensors, Labels(words=words))
    for h in range(H):
        table = seen.table(f"{at}.weights", h)
        assert (table.rows.labels, table.columns.labels) == (("d",), tuple(words))
    past = {f"decoder.blocks.{n}.self_attention.{x}" for n in (0, 1) for x in "kv"}
    is_explained(seen, tensors, given=past)
    assert seen.table(f"{at}.k", 0).provenance["labels"] == [
        "kept from an earlier pass"
    ]


# ── only what is asked for ───────────────────────────────────────────────────────
def test_only_what_is_asked_for_is_built_and_what_it_is_made_of():
    model = build(DecoderOnlyTransformer)
    tensors = recorded(model, ids(4))
    seen = RecordedPass(Sheet(), model, tensors)
    assert not seen.sheet.arrays
    at = "decoder.blocks.1.self_attention"
    table = seen.table(f"{at}.weights", 2)
    own = {f"{at}.{x}[2]" for x in ("scores", "mask", "weights")}
    assert set(seen.sheet.arrays) == own
    assert seen.table(f"{at}.weights", 2) is table
    scores = seen.table(f"{at}.scores", 2)
    assert set(seen.sheet.arrays) == own | {f"{at}.{x}[2]" for x in "qk"}
    assert scores.provenance["params"]["steps"] == [["÷", 2.0]]
    assert scores.provenance["labels"] == ["÷ √4"]
    s = seen.sheet
    powers = s.elementwise("powers", scores, function="exp")
    assert powers.provenance["inputs"] == [scores.name]  # it is the sheet's own


@pytest.mark.parametrize("only", [range(1), range(1, 4)])
@pytest.mark.parametrize("options", CHOICES.values(), ids=list(CHOICES))
def test_some_columns_alone_are_the_same_numbers_and_explained_so(only, options):
    model = build(Transformer, **options)
    tensors = recorded(model, ids(3), ids(2))
    whole = RecordedPass(Sheet(), model, tensors)
    for name in [*tensors, "encoder.blocks.0.self_attention.joined"]:
        seen = RecordedPass(Sheet(), model, tensors)
        count = seen.places.count_heads(name)
        for head in range(count) if count else [None]:
            few, every = seen.table(name, head, only), whole.table(name, head)
            cut = every.columns.name in ("feature", "hidden unit", "head·feature")
            own = slice(only.start, only.stop) if cut else slice(None)
            wanted = every.values[:, own]
            np.testing.assert_array_equal(few.values, wanted)
            assert few.columns.labels == every.columns.labels[own]
            assert few.provenance["op"] == every.provenance["op"]
            if few.provenance["op"] != "leaf":
                shown = recomputed(seen.sheet.arrays, few.name, few.provenance)
                np.testing.assert_allclose(shown, wanted, rtol=0, atol=1e-9)


def test_a_large_vocabulary_is_read_only_where_its_logits_are_shown():
    model = build(DecoderOnlyTransformer, vocabulary_size=5000)
    tensors = recorded(model, ids(4))
    words = [f"w{n}" for n in range(5000)]
    labels = Labels(vocabulary=words, scored=[4000, 7])
    seen = RecordedPass(Sheet(), model, tensors, labels)
    logits = seen.table("logits")
    assert logits.columns.labels == ("w4000", "w7")
    np.testing.assert_array_equal(logits.values, tensors["logits"][0][:, [4000, 7]])
    assert seen.sheet["embedding.weight"].shape == (2, D)
    is_explained(seen, ["logits", "output"])
    plain = RecordedPass(Sheet(), model, tensors, Labels(scored=[4000, 7]))
    assert plain.table("logits").columns.labels == ("4000", "7")


def test_two_passes_stand_in_one_sheet():
    s, model = Sheet(), build(DecoderOnlyTransformer)
    name = "decoder.blocks.0.self_attention.weights"
    for prefix, length in (("", 4), ("after ", 3)):
        tensors = recorded(model, ids(length))
        seen = RecordedPass(s, model, tensors, prefix=prefix)
        assert seen.table(name, 0).name == f"{prefix}{name}[0]"
        is_explained(seen, tensors)


def test_rows_and_columns_are_called_by_the_words_of_their_side():
    seen, _ = pass_of("jobs", torch.float64)
    words, source = (jobs.SOS, *START.split()), tuple(START.split())
    at = "blocks.0.self_attention.weights"
    assert seen.table(f"encoder.{at}", 0).axes == (
        Axis("query", source),
        Axis("key", source),
    )
    assert seen.table(f"decoder.{at}", 0).columns == Axis("key", words)
    cross = seen.table("decoder.blocks.0.cross_attention.weights", 0)
    assert cross.axes == (Axis("query", words), Axis("key", source))
    values = seen.table("decoder.blocks.0.cross_attention.v", 0)
    assert values.rows == Axis("value", source)
    assert seen.table("logits").columns == Axis("word", jobs.VOCABULARY.words)
    assert seen.table("source.input").rows == Axis("token", source)
    assert seen.table("decoder.blocks.0.add_norm_3").rows == Axis("token", words)


def test_words_name_the_rows_of_a_pass_without_keys():
    norm = LayerNorm(4).double()
    tensors = recorded(norm, torch.randn(1, 3, 4).double())
    seen = RecordedPass(Sheet(), norm, tensors, Labels(words=[*"abc"]))
    assert [*seen.table("output").rows.labels] == [*"abc"]
    seen = RecordedPass(Sheet(), norm, tensors, Labels(words=[*"ab"]))
    with pytest.raises(ValueError, match="words must hold 3 words, got 2"):
        seen.table("output")


@pytest.mark.parametrize(
    ("ask", "error", "naming"),
    [
        (lambda p: p.table("logit"), KeyError, "'logit' was not recorded.*'logits'"),
        (lambda p: p.table("decoder.blocks.7.add_norm_1"), KeyError, "near it"),
        (lambda p: p.table(f"{LAST}.weights"), TypeError, "head must be an integer"),
        (lambda p: p.table(f"{LAST}.weights", 3), ValueError, "head must be 0 to 2"),
        (lambda p: p.table("logits", 0), ValueError, "head must be None for logits"),
    ],
)
def test_what_is_not_there_is_refused(ask, error, naming):
    model = build(DecoderOnlyTransformer)
    with pytest.raises(error, match=naming):
        ask(RecordedPass(Sheet(), model, recorded(model, ids(4))))


LAST = "decoder.blocks.1.self_attention"


def test_what_does_not_fit_the_pass_is_refused():
    model = build(DecoderOnlyTransformer)
    tensors = recorded(model, ids(4))
    with pytest.raises(TypeError, match="model must be a torch module, got str"):
        RecordedPass(Sheet(), "model", tensors)
    with pytest.raises(IndexError, match="batch must be 0 to 1, got 2"):
        RecordedPass(Sheet(), model, tensors, batch=2).table("logits")
    for words in (["a"], [*"abcde"]):
        wrong = RecordedPass(Sheet(), model, tensors, Labels(words=words))
        for name, head in (("decoder", None), (f"{LAST}.scores", 0)):
            with pytest.raises(ValueError, match=f"hold 4 words, got {len(words)}"):
                wrong.table(name, head)


def test_a_table_that_was_refused_is_refused_again():
    """The second time, a bare KeyError of the sheet's came."""
    model = build(DecoderOnlyTransformer)
    tensors = recorded(model, ids(4))
    seen = RecordedPass(Sheet(), model, tensors, Labels(vocabulary=["one"]))
    for _ in range(2):
        with pytest.raises(ValueError, match="vocabulary must"):
            seen.table("logits")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_pass_of_half_digits_is_explained_up_to_these(dtype):
    model = build(DecoderOnlyTransformer, dtype=dtype)
    tensors = recorded(model, ids(4))
    is_explained(RecordedPass(Sheet(), model, tensors), tensors, close=1.0)


def test_positions_that_do_not_begin_with_0_are_found():
    model = build(DecoderOnlyTransformer)
    tensors = recorded(model, ids(4), positions=torch.tensor([0, 0, 1, 5]))
    seen = RecordedPass(Sheet(), model, tensors)
    assert seen.table("positions").provenance["params"]["positions"] == [0, 0, 1, 5]
    is_explained(seen, ["positions"])


# ── masks ────────────────────────────────────────────────────────────────────────
def looked(model, *args, name="decoder.blocks.0.self_attention.weights", batch=0):
    """The hidden cells of every head, as the bridge finds them."""
    tensors = recorded(model, *args)
    seen = RecordedPass(Sheet(), model, tensors, batch=batch)
    each = [t.hidden for t in tables(seen, [name])]
    return [h if h is not None else False for h in each]


@pytest.mark.parametrize("batch", [0, 1])
def test_the_mask_is_found_again(batch):
    model = build(DecoderOnlyTransformer)
    padding = padding_mask(torch.tensor([5, 3]))
    wanted = ~(causal_mask(5) & padding[batch, 0])
    for hidden in looked(model, ids(5), padding, batch=batch):
        np.testing.assert_array_equal(hidden, wanted)


def test_a_query_that_may_look_nowhere_is_found_and_explained():
    model = build(EncoderOnlyTransformer)
    nowhere = torch.ones(1, 1, 4, 4, dtype=torch.bool)
    nowhere[..., 2, :] = False
    tensors = recorded(model, ids(4), nowhere)
    seen = RecordedPass(Sheet(), model, tensors)
    is_explained(seen, tensors)
    [*heads] = tables(seen, ["encoder.blocks.0.self_attention.weights"])
    for table in heads:
        np.testing.assert_array_equal(table.hidden, ~nowhere[0, 0])


@pytest.mark.parametrize("n_heads", [1, 3])
def test_a_mask_of_a_heads_own_is_found(n_heads):
    model = build(EncoderOnlyTransformer, n_heads=n_heads)
    mask = torch.ones(1, n_heads, 4, 4, dtype=torch.bool)
    mask[:, -1, 1, 2] = False
    name = "encoder.blocks.0.self_attention.weights"
    for head, hidden in enumerate(looked(model, ids(4), mask, name=name)):
        np.testing.assert_array_equal(np.broadcast_to(hidden, (4, 4)), ~mask[0, head])


def test_a_weight_that_is_0_since_its_score_is_far_below_is_not_hidden():
    model = build(EncoderOnlyTransformer, dtype=torch.float32)
    attention = model.encoder.blocks[0].self_attention
    with torch.no_grad():
        attention.W_Q.weight[: D // H].mul_(1000)  # of the first head
    tensors = recorded(model, ids(5))
    name = "encoder.blocks.0.self_attention.weights"
    assert (tensors[name][0, 0] == 0).any()
    seen = RecordedPass(Sheet(), model, tensors)
    assert seen.table(name, 0).hidden is None
    is_explained(seen, [name], close=1e-6)


def test_what_sharp_scores_leave_at_0_in_every_head_is_not_hidden():
    """Its float32 weights are 0 in many cells; an encoder without a mask hides none."""
    model = build(EncoderOnlyTransformer, dtype=torch.float32)
    with torch.no_grad():
        model.encoder.blocks[0].self_attention.W_Q.weight.mul_(1000)
    name = "encoder.blocks.0.self_attention.weights"
    assert (recorded(model, ids(6))[name][0] == 0).all(dim=0).any()
    assert not np.any(looked(model, ids(6), name=name))


def test_a_key_that_a_patch_has_cut_before_the_softmax_is_hidden():
    model, name = build(EncoderOnlyTransformer), "encoder.blocks.0.self_attention"
    no_2 = {f"{name}.scores": lambda x: x.index_fill(-1, torch.tensor(2), -torch.inf)}
    with patch(model, no_2):
        tensors = recorded(model, ids(4))
    seen = RecordedPass(Sheet(), model, tensors)
    wanted = np.broadcast_to(np.arange(4) == 2, (4, 4))
    for table in tables(seen, [f"{name}.weights"]):
        np.testing.assert_array_equal(table.hidden, wanted)
    is_explained(seen, tensors.keys() - {f"{name}.scores"})


def test_arcs_of_a_recorded_tensor_are_sent_under_its_own_name():
    model = build(DecoderOnlyTransformer)
    tensors = recorded(model, ids(4))

    def sheet():
        s = Sheet()
        table = RecordedPass(s, model, tensors).table(f"{LAST}.weights", 1)
        words = {"rows": table.rows.labels, "columns": table.columns.labels}
        s.draw(AttentionLinks(name=table.name, arcs=True, **words))
        return s

    sent = {name for name, _ in Explorer("arcs", sheet).view.layout_of}
    assert sent == {f"{LAST}.weights[1]"}


@pytest.mark.parametrize("scored", [[99], [-1], range(11, 13)])
def test_ids_that_no_word_has_are_refused(scored):
    model = build(DecoderOnlyTransformer)
    tensors = recorded(model, ids(4))
    with pytest.raises(ValueError, match="scored must be"):
        RecordedPass(Sheet(), model, tensors, Labels(scored=scored)).table("logits")


def test_ids_may_come_one_after_the_other():
    model = build(DecoderOnlyTransformer)
    labels = Labels(scored=(n for n in (3, 1)))
    table = RecordedPass(Sheet(), model, recorded(model, ids(4)), labels).table(
        "logits"
    )
    assert list(table.columns.labels) == ["3", "1"]
    assert table.values.shape == (4, 2)


def test_a_name_that_is_not_there_is_so_with_a_head_too():
    model = build(DecoderOnlyTransformer)
    seen = RecordedPass(Sheet(), model, recorded(model, ids(4)))
    with pytest.raises(KeyError, match=f"was not recorded; near it: .'{LAST}.weights"):
        seen.table(f"{LAST}.weigths", 0)
    with pytest.raises(KeyError, match="was not recorded"):
        RecordedPass(Sheet(), model, {}).table(f"{LAST}.weights", 0)
    with pytest.raises(TypeError, match="batch must be an integer, got True"):
        RecordedPass(Sheet(), model, recorded(model, ids(4)), batch=True)
