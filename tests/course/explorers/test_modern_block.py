"""The block since 2017: what each switch changes, and what the model costs then."""

import numpy as np
import pytest

from course import explorers
from course.explorers.layers.modern_block import (
    FIRST,
    configured,
    formulas,
    parts_of,
)
from course.models.costs import costs
from transformer_lib import DecoderOnlyTransformer

START = {
    "order": "post-norm",
    "norm": "layer norm",
    "network": "ReLU",
    "positions": "sinusoidal",
    "heads": 12,
    "bias": True,
    "qk_norm": False,
    "window": "none",
}
SWITCHED = {
    "order": "pre-norm",
    "norm": "RMSNorm",
    "network": "SwiGLU",
    "positions": "rotary",
    "heads": 4,
    "bias": False,
    "qk_norm": True,
    "window": "256",
}


def test_it_begins_with_the_block_of_2017_and_colors_what_has_changed():
    lab = explorers.modern_block(network="ReLU")
    assert formulas(configured(**START)) == formulas(FIRST)
    assert not lab.values["formulas"][:, 2].any()
    for name, value in SWITCHED.items():
        lab.controls[name].value = value
        assert lab.values["formulas"][:, 2].any(), name
        lab.controls[name].value = START[name]
    assert not lab.values["formulas"][:, 2].any()


def test_at_first_one_change_is_made_so_that_there_is_a_difference_to_see():
    lab = explorers.modern_block()
    assert lab.settings["network"] == "SwiGLU"
    assert lab.values["formulas"][:, 2].astype(bool).sum() == 1
    bars = next(d for d in lab.drawings if d.name == "parts")
    changed = {name for name, x in zip(bars.labels, bars.faint, strict=True) if not x}
    assert changed == {"W_1", "W_2", "W_3"}


@pytest.mark.parametrize("switched", [{n: x} for n, x in SWITCHED.items()] + [SWITCHED])
def test_the_parts_of_a_block_are_the_librarys_count(switched):
    config = configured(**START | switched)
    outside = config.vocabulary_size * config.d_model
    if config.norm_first:
        outside += config.d_model * (2 if config.norm == "layer" and config.bias else 1)
    whole = 12 * sum(parts_of(config).values()) + outside
    assert costs(config, 1).parameters == whole


def test_its_gpt_2_has_the_parameters_of_gpt_2():
    gpt2 = {"order": "pre-norm", "network": "GELU", "positions": "learned"}
    assert costs(configured(**START | gpt2), 1).parameters == 124_439_808


def test_heads_that_share_keys_stand_side_by_side_and_shrink_the_cache():
    lab = explorers.modern_block()
    before = lab.values["costs"][1, 1]
    lab.controls["heads"].value = 3
    expected = np.repeat(np.eye(3), 4, axis=1)
    np.testing.assert_array_equal(lab.values["sharing"], expected)
    assert lab.values["costs"][1, 1] == pytest.approx(before / 4)


def test_a_window_bounds_the_cache_of_a_long_text_only():
    lab = explorers.modern_block()
    lab.controls["window"].value = "1,024"
    assert lab.values["costs"][0, 1] == lab.values["costs"][1, 1]
    lab.controls["length"].value = 4_096
    assert lab.values["costs"][0, 1] == 4 * lab.values["costs"][1, 1]


def test_the_switches_build_a_model():
    config = configured(**SWITCHED)
    small = {"vocabulary_size": 11, "d_model": 48, "d_ff": 16, "n_decoder_layers": 1}
    model = DecoderOnlyTransformer(type(config)(**vars(config) | small))
    assert model.config.n_kv_heads == 4
