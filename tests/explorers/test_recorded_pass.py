"""A recorded pass as a sheet: every number of it is what its explanation comes to."""

import copy

import numpy as np
import pytest
import torch
from explanations import recomputed

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
from transformer_lib.explorers.toolkit import Sheet
from transformer_lib.explorers.toolkit.recorded import Labels, RecordedPass
from transformer_lib.runtime.caching import caching
from transformer_lib.runtime.recording import record
from transformer_lib.small_models import jobs
from transformer_lib.small_models.heads import SENTENCES, load_heads, read

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


def ops(made):
    """The operations of an explanation, row by row where these differ."""
    return {m["op"] for m in made["made"]} if made["op"] == "stack" else {made["op"]}


def is_explained(seen, names, close=1e-9, given=()):
    """Every cell is what its explanation comes to, and only `given` has none."""
    for table in tables(seen, names):
        bare = table.name.partition("[")[0]
        assert ("given" in ops(table.made)) == (bare in given), table.name
        np.testing.assert_allclose(
            recomputed(seen.sheet.arrays, table.name, table.made),
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


BETWEEN = {
    "source.input": "embedding.weight",
    "encoder.blocks.0.self_attention": "mask joined W_Q W_K W_V W_O W_O.bias W_Q.bias",
    "decoder.blocks.0.cross_attention": "mask joined W_Q W_K W_V W_O",
    "decoder.blocks.0.feed_forward": "sums W_1 W_2 W_1.bias W_2.bias",
    "decoder.blocks.0.add_norm_3.norm": "mean moved square variance root gamma beta",
}


def test_what_lies_between_recorded_tensors_is_explained_too():
    seen, _ = pass_of("jobs", torch.float64)
    names = ["embedding.weight"]
    for part, fields in BETWEEN.items():
        names += [f"{part}.{field}" for field in fields.split() if "input" not in part]
    learned = {name for name in names if name.split(".")[-1] in LEARNED}
    is_explained(seen, names, given=learned)


LEARNED = {"weight", "mask", "bias", "gamma", "beta"} | {
    f"W_{letter}" for letter in "QKVO12"
}
BETWEEN.pop("source.input")


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
def test_a_bare_stack_is_explained_from_what_it_was_given(norm_first):
    torch.manual_seed(0)
    x, memory = torch.randn(2, 4, D).double(), torch.randn(2, 5, D).double()
    encoder = build(Encoder, norm_first=norm_first)
    tensors = recorded(encoder, x)
    seen = RecordedPass(Sheet(), encoder, tensors)
    is_explained(seen, tensors, given={
        "blocks.0.self_attention.q", "blocks.0.self_attention.k",
        "blocks.0.self_attention.v", "blocks.0.add_norm_1.sum",
    } if not norm_first else {"blocks.0.add_norm_1.sum", "blocks.0.add_norm_1.norm"})
    whole = tensors | {"input": x}
    is_explained(RecordedPass(Sheet(), encoder, whole), tensors)
    decoder = build(Decoder, norm_first=norm_first)
    tensors = recorded(decoder, x, memory, causal_mask(4))
    whole = tensors | {"input": x, "memory": memory}
    is_explained(RecordedPass(Sheet(), decoder, whole), tensors)
    block, attention = decoder.blocks[0], decoder.blocks[0].self_attention
    for part, given in (
        (block, {"input": x, "memory": memory}),
        (attention, {"input": x, "memory": memory}),
    ):
        tensors = recorded(part, *given.values())
        is_explained(RecordedPass(Sheet(), part, tensors | given), tensors)


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
