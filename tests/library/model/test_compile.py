"""A model compiles and exports as a whole: nothing around it stands in the graph."""

import pytest
import torch
from small import PAD, PROMPTS, RAGGED, build, settings

from transformer_lib import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
    greedy,
)

# torch's advice to whom has Python 3.13.0: true, and about no model.
pytestmark = pytest.mark.filterwarnings("ignore:Guards may run slower:RuntimeWarning")
KINDS = [Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer]
MASK = (RAGGED != PAD)[:, None, None]


def inputs(kind, ids):
    return (ids, ids) if kind is Transformer else (ids,)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_compiles_in_one_graph(kind):
    model = build(kind)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    for ids, masks in ((PROMPTS, ()), (RAGGED, (MASK,))):
        given = (*inputs(kind, ids), *masks)
        torch.testing.assert_close(compiled(*given), model(*given))


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_exports_strictly(kind):
    model = build(kind)
    exported = torch.export.export(model, inputs(kind, PROMPTS), strict=True)
    expected = model(*inputs(kind, RAGGED))
    torch.testing.assert_close(exported.module()(*inputs(kind, RAGGED)), expected)


def test_a_model_that_is_compiled_in_place_still_generates():
    model = build(DecoderOnlyTransformer)
    expected = greedy(model, PROMPTS, settings(model, max_length=6))
    model.compile(fullgraph=True, backend="eager")
    found = greedy(model, PROMPTS, settings(model, max_length=6))
    assert found.ids.equal(expected.ids)
