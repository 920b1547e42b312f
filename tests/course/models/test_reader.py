"""A small model that is told in six ways where a word stands."""

import pytest
import torch

from course.models.reader import VARIANTS, Reader


@pytest.mark.parametrize("way", VARIANTS)
def test_only_the_model_without_positions_is_blind_to_order(way):
    torch.manual_seed(0)
    model, ids = Reader(way, 12, 48, 2), torch.tensor([[2, 3, 4, 5]])
    there, back = model(ids), model(ids.flip(1)).flip(1)
    assert torch.allclose(there, back, atol=1e-5) == (way == "none")


def test_the_ways_differ_in_nothing_but_what_stands_in_half_a_row():
    models = {way: Reader(way, 12, 48, 2) for way in VARIANTS}
    sizes = {
        way: {name: weight.shape for name, weight in model.named_parameters()}
        for way, model in models.items()
    }
    table = sizes.pop("learned")
    assert all(size == sizes["none"] for size in sizes.values())
    assert len(table) == len(sizes["none"]) + 1
    appended = [way for way in VARIANTS if models[way].appended.numel()]
    assert appended == ["number", "number rescaled", "waves appended"]
    assert {models[way].appended.shape for way in appended} == {(48, 16)}
    number = models["number rescaled"].appended[:, 0]
    assert number.mean().item() == pytest.approx(0, abs=1e-6)
    assert number.std(correction=0).item() == pytest.approx(1)
