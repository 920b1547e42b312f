"""The masks' explorers without a browser: mask_lab, hiding_bench, leak_detector."""

import base64

import numpy as np
import pytest
import torch
from explanations import judge, sheet_of
from traitlets import TraitError

from course import explorers
from course.explorers.masks.hiding import BEFORE, KINDS, WAYS, preset
from course.explorers.masks.hiding_bench import hiding_sheet
from course.explorers.masks.leak_detector import TWINS, leak_sheet
from course.explorers.masks.mask_lab import PAD, mask_sheet
from course.models.leaky import Stack, TwoAttentions
from explorable import style
from explorable.trace import Axis
from transformer_lib.model.config import TransformerConfig
from transformer_lib.oracles import numpy_reference as reference

TOKENS = ["Ajish", "works", "as", "an", "AI"]
SOURCE = ["I", "love", "AI", "too"]
DRAW = np.random.default_rng(6)
SCORES, V = DRAW.normal(size=(5, 5)), DRAW.normal(size=(5, 2))
ACROSS, SOURCE_V = DRAW.normal(size=(5, 4)), DRAW.normal(size=(4, 2))
AS_PRESET = np.full((5, 5), np.nan)


@pytest.fixture
def lab():
    return explorers.mask_lab(SCORES, V, TOKENS, cross=(ACROSS, SOURCE_V, SOURCE))


def lab_sheet(mask="causal", length=5, hide="library", look=AS_PRESET, scores=SCORES):
    given = {"scores": scores, "V": V, "look": look, "length": length}
    settings = {"mask": mask, "hide": hide, "convention": "may look"}
    return mask_sheet({"": TOKENS}, **settings, **given)


def drawing(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


def by_hand(scores, may_look, way):
    """The five ways once more, in NumPy and one row at a time."""
    rows = []
    for row, open_ in zip(scores, may_look, strict=True):
        if way == "library":
            rows.append(reference.softmax(np.where(open_, row, -np.inf)))
            continue
        if way in BEFORE:
            powers = np.exp(np.where(open_, row, {"−1e9": -1e9}.get(way, -np.inf)))
            if way == "−1e9" and not open_.any():
                powers = np.ones(len(row))
        else:
            powers = reference.softmax(row) * open_
        with np.errstate(invalid="ignore"):
            rows.append(powers if way == "after" else powers / powers.sum())
    return np.array(rows)


# ── mask_lab ────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("length", [0, 1, 3, 5])
@pytest.mark.parametrize("mask", KINDS)
def test_the_lab_shows_what_the_reference_computes(mask, length, way):
    may_look = np.ones((5, 5), bool)
    if "causal" in mask:
        may_look &= reference.causal_mask(5)
    if "padding" in mask:
        real = np.arange(5) < length
        may_look &= real[:, None] if "rows" in mask else real
    s = lab_sheet(mask, length, way)
    weights = by_hand(SCORES, may_look, way)
    np.testing.assert_array_equal(s["may_look"], may_look)
    np.testing.assert_allclose(s["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(s["output"], weights @ V, atol=1e-12)
    np.testing.assert_allclose(s["sum"][:, 0], weights.sum(1), atol=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [1.0, 300.0])
def test_the_terms_that_a_weight_lists_make_it(way, size):
    s = lab_sheet("causal & padding", 3, way, scores=SCORES * size)
    assert s.tables["output"].provenance["inputs"] == ["weights", "V"]
    np.testing.assert_allclose(s["weights"] @ s["V"], s["output"], atol=1e-12)
    inputs = s.tables["weights"].provenance["inputs"]
    if way == "after":
        assert inputs == ["masked", "may_look"]
        np.testing.assert_allclose(s["masked"] * s["may_look"], s["weights"])
        return
    first = s[inputs[0]]
    if way in BEFORE:
        first = np.where(s["may_look"] == 1, first, BEFORE[way])
        first = np.exp(first - first.max(axis=1, keepdims=True))
    share = first / first.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(share, s["weights"], atol=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_a_weight_is_called_a_weight_and_what_enters_it_is_not(way):
    said = {d.name: d.sentence for d in lab_sheet(hide=way).drawings}
    assert said["weights"] == style.SHARES["sentence"]
    assert said["weights"] not in [said[name] for name in said if name != "weights"]


@pytest.mark.parametrize("cell", [(0, 4), (2, 2), (4, 0)])
def test_a_cell_set_by_hand_is_the_opposite_of_the_preset(lab, cell):
    before = lab.values["may_look"].copy()
    lab.edit("look", *cell, 1 - before[cell])
    changed = lab.values["may_look"] != before
    assert changed[cell]
    assert changed.sum() == 1
    weights = by_hand(SCORES, lab.values["may_look"] == 1, "library")
    np.testing.assert_allclose(lab.values["weights"], weights, atol=1e-12)


@pytest.mark.parametrize(("control", "value"), [("mask", "padding"), ("length", 2)])
def test_another_mask_or_length_undoes_what_was_set_by_hand(lab, control, value):
    lab.controls["mask"].value = "causal & padding"
    lab.edit("look", 0, 4, 1)
    lab.controls[control].value = value
    settings = {"mask": lab.controls["mask"].value, "length": lab.controls["length"]}
    expected = preset(settings["mask"], 5, 5, settings["length"].value)
    np.testing.assert_array_equal(lab.values["may_look"], expected.numpy())


@pytest.mark.parametrize("control", ["convention", "hide"])
def test_another_convention_or_way_keeps_what_was_set_by_hand(lab, control):
    lab.edit("look", 0, 4, 1)
    lab.controls[control].value = lab.controls[control].options[-1]
    assert lab.values["may_look"][0, 4] == 1


@pytest.mark.parametrize("mask", ["none", "causal", "cross"])
def test_a_cell_that_is_turned_over_says_the_opposite_and_then_the_same_again(
    mask, lab
):
    lab.controls["mask"].value = mask
    panel = drawing(lab, "may_look").toggles
    message = {"type": "turn", "panel": panel, "row": 0, "column": 1}
    before = lab.values["may_look"].copy()
    opposite = before.copy()
    opposite[0, 1] = 1 - before[0, 1]
    for expected in (opposite, before):
        lab.view._answer(None, message, None)
        np.testing.assert_array_equal(lab.values["may_look"], expected)


def test_a_cell_of_a_mask_can_be_typed_as_0_or_1_alone(lab):
    heard = []
    lab.view.send = heard.append
    message = {"type": "edit", "panel": "look", "row": 0, "column": 1, "nudge": 0}
    lab.view._answer(None, {**message, "text": "1"}, None)
    assert heard[0]["type"] == "accepted"
    assert lab.values["may_look"][0, 1] == 1
    lab.view._answer(None, {**message, "text": "0.5"}, None)
    assert "a cell of a mask holds 0 or 1, got 0.5" in heard[1]["why"]
    assert lab.values["may_look"][0, 1] == 1


def test_cross_looks_at_the_source_and_hides_its_padding(lab):
    lab.controls["mask"].value = "cross"
    lab.controls["cross_length"].value = 3
    may_look = np.repeat([[True, True, True, False]], 5, axis=0)
    weights = by_hand(ACROSS, may_look, "library")
    np.testing.assert_allclose(lab.values["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(lab.values["output"], weights @ SOURCE_V, atol=1e-12)
    weights_drawn = drawing(lab, "weights")
    assert list(weights_drawn.rows) == TOKENS
    assert list(weights_drawn.columns) == [*SOURCE[:3], PAD]
    lab.edit("cross_look", 0, 3, 1)
    assert lab.values["may_look"][0, 3] == 1
    lab.edit("cross_V", 3, 0, 50.0)
    assert lab.values["output"][0, 0] > 1
    assert lab.values["output"][1, 0] == pytest.approx((weights @ SOURCE_V)[1, 0])


def test_padding_is_named_where_it_is_hidden_and_only_there(lab):
    lab.controls["length"].value = 2
    assert PAD not in lab.text()
    lab.controls["mask"].value = "causal & padding"
    mask = drawing(lab, "may_look")
    assert list(mask.rows) == list(mask.columns) == ["Ajish", "works", PAD, PAD, PAD]


@pytest.mark.parametrize("mask", [*KINDS, "cross"])
def test_a_length_is_shown_only_where_its_padding_is_hidden(lab, mask):
    def is_shown(of, name="length"):
        return of.controls[name].layout.display is None

    lab.controls["mask"].value = "none"
    lab.controls["mask"].value = mask
    assert is_shown(lab) == ("padding" in mask)
    assert is_shown(lab, "cross_length") == (mask == "cross")
    lab.reset()
    assert not is_shown(lab)
    assert is_shown(explorers.mask_lab(SCORES, V, mask="padding", real=3))


def test_values_of_padding_reach_a_real_token_through_rows_and_not_columns():
    for mask, moves in (("padding", False), ("rows of padding", True)):
        lab = explorers.mask_lab(SCORES, V, TOKENS, mask=mask, real=3)
        before = lab.values["output"].copy()
        lab.edit("V", 3, 0, 900.0)
        assert (lab.values["output"] != before)[:3, 0].all() == moves
        assert (lab.values["output"] == before).all() != moves


def test_the_three_conventions_say_the_same(lab):
    lab.controls["convention"].value = "all three"
    a = lab.values
    np.testing.assert_array_equal(a["hides"], 1 - a["may_look"])
    np.testing.assert_array_equal(np.isneginf(a["added"]), a["may_look"] == 0)
    assert (a["added"][a["may_look"] == 1] == 0).all()
    titles = ["True = may look", "True = hidden", "0 or −∞, to add"]
    assert [d.title for d in lab.drawings] == titles
    assert [d.toggles for d in lab.drawings] == ["look"] * 3
    weights = torch.softmax(torch.from_numpy(SCORES + a["added"]), dim=-1)
    np.testing.assert_allclose(a["weights"], weights.numpy(), atol=1e-12)


def test_reset_brings_back_mask_lengths_and_cells(lab):
    first = lab.view.data
    lab.edit("look", 0, 4, 1)
    lab.edit("scores", 0, 0, 9.0)
    lab.controls["mask"].value = "cross"
    lab.controls["cross_length"].value = 1
    lab.edit("cross_look", 0, 0, 0)
    lab.controls["hide"].value = "after ÷ Σ"
    lab.reset()
    assert lab.view.data == first
    assert np.isnan(lab.inputs["cross_look"]).all()


@pytest.mark.parametrize("way", WAYS)
def test_a_row_that_may_look_nowhere_shows_what_each_way_makes_of_it(lab, way):
    lab.controls["hide"].value = way
    lab.edit("look", 0, 0, 0)
    expected = {"library": 0, "−1e9": 0.2, "after": 0}.get(way, np.nan)
    np.testing.assert_allclose(lab.values["weights"][0], [expected] * 5)
    assert ("NaN" in lab.text()) == np.isnan(expected)
    assert lab.view.message == ""
    assert lab.picture()


@pytest.mark.parametrize(
    ("arguments", "settings", "naming"),
    [
        ((SCORES[:4], V), {}, r"scores must.*each of 5 tokens, got shape \(4, 5\)"),
        ((SCORES, V[:4]), {}, r"V must have a row for each of 5 keys.*\(4, 2\)"),
        ((SCORES, V, TOKENS[:4]), {}, "tokens must hold 5 words, got 4"),
        ((SCORES, V), {"mask": "cross"}, "mask must be one of.*got 'cross'"),
        ((SCORES, V), {"mask": "left"}, "mask must be one of.*got 'left'"),
        ((SCORES, V), {"real": 6}, "real must be 0 to 5, got 6"),
        ((SCORES, V), {"cross": (ACROSS[:3], SOURCE_V, SOURCE)}, "each of 5 tokens"),
        ((SCORES, V), {"cross": (ACROSS, V, SOURCE)}, "cross_V.*each of 4 keys"),
        ((SCORES, V), {"cross": (ACROSS, SOURCE_V, TOKENS)}, "source words.*4.*got 5"),
        ((np.zeros((65, 65)), np.zeros((65, 1))), {}, r"64 a side.*\(65, 65\)"),
    ],
)
def test_the_lab_refuses_what_it_cannot_show(arguments, settings, naming):
    with pytest.raises(ValueError, match=naming):
        explorers.mask_lab(*arguments, **settings)


@pytest.mark.parametrize("cross", [5, (ACROSS, SOURCE_V), "ABC", "long " * 10_000])
def test_a_source_is_scores_values_and_words(cross):
    with pytest.raises(TypeError, match="cross must be") as e:
        explorers.mask_lab(SCORES, V, cross=cross)
    assert len(str(e.value)) < 120


@pytest.mark.parametrize("real", [2.0, True, "2", [2]])
def test_how_many_tokens_are_real_is_a_whole_number(real):
    with pytest.raises(TypeError, match="real must be an integer, got"):
        explorers.mask_lab(SCORES, V, mask="padding", real=real)


def test_a_whole_number_may_be_one_of_numpy():
    lab = explorers.mask_lab(SCORES, V, mask="padding", real=np.int64(2))
    assert lab.values["may_look"].sum() == 5 * 2


@pytest.mark.parametrize(
    ("settings", "naming"),
    [
        ({"mask": "left"}, "mask must be one of.*'left'"),
        ({"mask": "padding", "length": 6}, "between 0 and 5"),
        ({"mask": "padding", "length": -1}, "between 0 and 5"),
        ({"hide": "magic"}, "hide must be one of.*'magic'"),
        ({"look": np.full((5, 5), 2.0)}, "holds 0 or 1, got 2.0"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(settings, naming):
    with pytest.raises(ValueError, match=naming):
        lab_sheet(**settings)


def test_a_causal_mask_needs_as_many_queries_as_keys():
    with pytest.raises(ValueError, match="as many queries as keys, got 5 and 4"):
        preset("causal", 5, 4, 4)


# ── hiding_bench ────────────────────────────────────────────────────────────────
ROW, VALUES = [1.2, 0.4, -0.3, 0.9], [1.0, 2, 3, 4]
KEY = Axis.numbered("key", 2)


@pytest.mark.parametrize("hidden", [[], [3], [0, 1], [0, 1, 2, 3]])
def test_five_ways_stand_side_by_side(hidden):
    bench = explorers.hiding_bench(ROW, VALUES, hidden=hidden)
    may_look = np.array([[key not in hidden for key in range(4)]])
    for weights, way in zip(bench.values["weights"], WAYS, strict=True):
        expected = by_hand(np.array([ROW]), may_look, way)[0]
        np.testing.assert_allclose(weights, expected, atol=1e-12)
    output = bench.values["weights"] @ VALUES
    np.testing.assert_allclose(bench.values["output"][:, 0], output)


def test_after_the_softmax_a_hidden_score_still_moves_the_others():
    bench = explorers.hiding_bench(ROW, VALUES, hidden=[3])
    before = bench.values["weights"].copy()
    bench.edit("scores", 0, 3, 5.0)
    moved = ~np.isclose(bench.values["weights"], before, atol=1e-12).all(axis=1)
    assert [way for way, m in zip(WAYS, moved, strict=True) if m] == ["after"]


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ((ROW, VALUES[:3]), ValueError, "values must hold 4 numbers.*got 3"),
        (([ROW], VALUES), ValueError, r"scores must be one row, got shape \(1, 4\)"),
        ((ROW, VALUES, TOKENS), ValueError, "tokens must hold 4 words, got 5"),
        (
            (ROW, VALUES, SOURCE, [4]),
            ValueError,
            "in hidden must be 0 to 3, got 4",
        ),
        ((ROW, VALUES, SOURCE, [-1]), ValueError, "must be 0 to 3, got -1"),
        ((ROW, VALUES, SOURCE, [True]), TypeError, "must be an integer, got True"),
        ((ROW, VALUES, SOURCE, [0.0]), TypeError, r"must be an integer, got 0\.0"),
        (
            (ROW, VALUES, SOURCE, 3),
            TypeError,
            "hidden must be a list of whole.*got 3",
        ),
        ((ROW, VALUES, SOURCE, "3"), TypeError, "list of whole numbers, got '3'"),
        ((5, VALUES), ValueError, r"scores must be one row, got shape \(\)"),
        (("abcd", VALUES), ValueError, r"scores must be one row, got shape \(\)"),
        (([1, [2]], [1, 2]), TypeError, r"scores must be a matrix of numbers, got"),
        ((ROW, ["1", 2, 3, 4]), TypeError, "values must be a matrix of numbers, got"),
        ((ROW, np.ma.array(VALUES, mask=[0, 0, 0, 1])), TypeError, "values must be"),
        ((torch.zeros(2, device="meta"), [1, 2]), TypeError, "scores must be"),
    ],
)
def test_the_bench_refuses_rows_that_do_not_fit(arguments, error, naming):
    with pytest.raises(error, match=naming):
        explorers.hiding_bench(*arguments)


def test_after_the_softmax_a_large_hidden_score_leaves_nothing_to_share_out():
    bench = explorers.hiding_bench(ROW, VALUES, hidden=[3])
    bench.edit("scores", 0, 3, 800.0)
    weights = dict(zip(WAYS, bench.values["weights"], strict=True))
    assert (weights["after"] == 0).all()
    assert np.isnan(weights["after ÷ Σ"]).all()
    assert weights["library"].sum() == pytest.approx(1)


def test_the_picture_writes_no_weight_that_is_exactly_0_and_colors_no_sum():
    for made in (
        explorers.hiding_bench(ROW, VALUES, hidden=[3]),
        explorers.mask_lab(SCORES, V, TOKENS),
    ):
        weights, said = made.values["weights"], drawing(made, "weights")
        blank = np.array(said.cells(weights)) == " "
        assert (blank == (weights == 0)).all()
        assert blank.any()


def test_each_way_explains_its_own_row():
    bench = explorers.hiding_bench(ROW, VALUES, hidden=[3])
    made = drawing(bench, "weights").provenance
    assert made["op"] == "stack"
    ops = [row["op"] for row in made["rows"]]
    assert ops == ["softmax"] * 3 + ["elementwise", "normalize_rows"]
    assert judge(sheet_of(bench)) > len(ops)


@pytest.mark.parametrize("hidden", [[3], (3,), iter([3]), np.array([3]), {np.int8(3)}])
def test_keys_to_hide_may_come_in_any_collection(hidden):
    look = explorers.hiding_bench(ROW, VALUES, hidden=hidden).values["look"]
    np.testing.assert_array_equal(look, [[1, 1, 1, 0]])


def test_a_row_of_a_tensor_that_is_trained_is_shown():
    row = torch.tensor(ROW, dtype=torch.float64, requires_grad=True)
    np.testing.assert_array_equal(
        explorers.hiding_bench(row, VALUES).values["scores"], [ROW]
    )


def test_a_mask_holds_zeros_and_ones():
    with pytest.raises(ValueError, match=r"0 or 1, got 0\.5"):
        hiding_sheet(*(np.full((1, 2), x) for x in (1.0, 1.0, 0.5)), KEY)


# ── leak_detector ───────────────────────────────────────────────────────────────
def leaks(length, **settings):
    return leak_sheet([f"word {n}" for n in range(length)], "other", **settings)


@pytest.mark.parametrize("n_blocks", [1, 2, 4])
@pytest.mark.parametrize("length", [2, 5, 12])
@pytest.mark.parametrize("model", ["GPT-style", "both masked"])
def test_behind_a_mask_no_output_moves_with_a_later_token(model, length, n_blocks):
    moved = leaks(length, model=model, n_blocks=n_blocks, position=1)["moved"]
    assert (np.triu(moved, 1) == 0).all()
    assert (np.tril(moved) + np.triu(np.ones(moved.shape), 1) > 0).all()


@pytest.mark.parametrize("n_blocks", [1, 4])
@pytest.mark.parametrize("length", [2, 5, 12])
@pytest.mark.parametrize("model", ["encoder", "second unmasked"])
def test_without_a_mask_every_output_moves_with_every_token(model, length, n_blocks):
    sheet = leaks(length, model=model, n_blocks=n_blocks, position=length)
    assert (sheet["moved"] > 0).all()
    above = length * (length - 1) // 2
    assert f"{above} of {above} cells" in sheet.drawings[0].note


@pytest.mark.parametrize("position", [1, 3, 5])
def test_the_column_of_the_changed_token_is_its_difference(position):
    s = leaks(5, model="second unmasked", n_blocks=2, position=position)
    np.testing.assert_array_equal(s["difference"], s["after"] - s["before"])
    column = np.abs(s["difference"]).max(axis=1)
    np.testing.assert_array_equal(column, s["moved"][:, position - 1])


def test_the_documents_block_is_two_attentions_in_a_row():
    torch.manual_seed(0)
    config = TransformerConfig(d_model=4, n_heads=2, d_ff=8, dropout=0.0)
    block = TwoAttentions(config, second_causal=False).double()
    z = torch.randn(1, 3, 4, dtype=torch.float64)
    weights = {k: w.detach().numpy() for k, w in block.state_dict().items()}
    part = {
        name: {
            key.removeprefix(f"{name}."): w
            for key, w in weights.items()
            if key.startswith(f"{name}.")
        }
        for name in ("first", "second", "feed_forward")
    }
    norm = [
        {"gamma": weights[f"add_norm_{n}.norm.gamma"], "beta": np.zeros(4)}
        for n in (1, 2, 3)
    ]
    attend, ffn = reference.multi_head_attention, reference.feed_forward
    x = z.numpy()
    past = reference.causal_mask(3)
    n = reference.layer_norm(x + attend(x, x, part["first"], 2, past), norm[0])
    m = reference.layer_norm(n + attend(n, n, part["second"], 2), norm[1])
    y = reference.layer_norm(m + ffn(m, part["feed_forward"]), norm[2])
    np.testing.assert_allclose(block(z).detach().numpy(), y, atol=1e-12)


def test_the_detector_seeds_nothing_of_its_reader():
    state = torch.get_rng_state()
    leaks(7, model="encoder", n_blocks=3, position=1)
    assert torch.equal(state, torch.get_rng_state())


def test_a_reader_who_writes_into_the_numbers_spoils_no_other_detector():
    first = explorers.leak_detector(TOKENS).values
    expected = {name: x.copy() for name, x in first.items()}
    for x in first.values():
        x[:] = 7
    for name, x in explorers.leak_detector(TOKENS).values.items():
        np.testing.assert_array_equal(x, expected[name])


def test_what_has_not_moved_is_hatched_and_nothing_else_is():
    for model, hatched in (("GPT-style", 10), ("second unmasked", 0)):
        detector = explorers.leak_detector(TOKENS, model=model)
        moved = drawing(detector, "moved")
        assert moved.hidden.sum() == hatched
        assert (moved.hidden == (detector.values["moved"] == 0)).all()
        assert (detector.values["moved"] < moved.vmax).all()


@pytest.mark.parametrize("n_blocks", [1, 4])
@pytest.mark.parametrize("model", TWINS)
def test_a_leak_is_red_in_the_chosen_model_and_said_of_both(model, n_blocks):
    """Red in the twin drew the eye away from the model that was chosen."""
    detector = explorers.leak_detector(TOKENS, model=model)
    detector.controls["n_blocks"].value = n_blocks
    for name, kind in (("moved", model), ("moved in the twin", TWINS[model])):
        shown, above = drawing(detector, name), np.triu(np.ones((5, 5), bool), 1)
        leaks = kind in ("encoder", "second unmasked")
        red = leaks and kind == model
        assert shown.title == f"moved in “{kind}”"
        assert (shown.flagged == (above & red)).all()
        said = np.array(shown.cells(detector.values[name]))
        assert (np.char.endswith(said, "!") == shown.flagged).all()
        assert (shown.note.endswith("10 of 10 cells leak")) == leaks
        assert shown.concludes == shown.leads == (kind == model)
        assert shown.note.startswith("!") == red


def test_the_detector_says_how_many_cells_leak():
    detector = explorers.leak_detector(TOKENS)
    assert "10 of 10 cells leak" in detector.text()
    detector.controls["model"].value = "GPT-style"
    assert "No leak: hatched cells are exactly 0" in detector.text()
    pair = explorers.leak_detector(TOKENS[:2])
    assert "1 of 1 cells leak" in pair.text()


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ((["AI"],), ValueError, "tokens must hold 2 to 32 words, got 1"),
        (([],), ValueError, "tokens must hold 2 to 32 words, got 0"),
        ((iter(()),), ValueError, "tokens must hold 2 to 32 words, got 0"),
        (("AI is",), TypeError, "tokens must be a list of words, got 'AI is'"),
        ((5,), TypeError, "tokens must be a list of words, got 5"),
        ((["a"] * 33,), ValueError, "tokens must hold 2 to 32 words, got 33"),
        ((TOKENS, "AI"), ValueError, "not in tokens, got 'AI'"),
        ((TOKENS, 3), TypeError, "other must be a list of words, got"),
        ((TOKENS, "robot", "BERT"), ValueError, "model must be one of.*'BERT'"),
    ],
)
def test_the_detector_refuses_what_it_cannot_show(arguments, error, naming):
    with pytest.raises(error, match=naming):
        explorers.leak_detector(*arguments)


@pytest.mark.parametrize(
    ("control", "value"),
    [("position", 0), ("position", 6), ("n_blocks", 5), ("model", "BERT")],
)
def test_a_detector_out_of_range_is_refused(control, value):
    detector = explorers.leak_detector(TOKENS)
    before = dict(detector.settings)
    with pytest.raises(TraitError, match="Invalid selection"):
        detector.controls[control].value = value
    assert detector.settings == before


def test_a_stack_of_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"kind must be one of.*'BERT'"):
        Stack("BERT", 1, TransformerConfig())


# ── at rest ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "explorer",
    [
        lambda: explorers.mask_lab(SCORES, V, TOKENS),
        lambda: explorers.mask_lab([[1.0]], [[1.0]], real=0, mask="padding"),
        lambda: explorers.mask_lab(np.zeros((16, 16)), np.zeros((16, 3))),
        lambda: explorers.hiding_bench(ROW, VALUES, SOURCE, hidden=[0, 1, 2, 3]),
        lambda: explorers.leak_detector(TOKENS),
    ],
)
def test_a_masks_explorer_leaves_a_picture_and_its_numbers(explorer):
    bundle, _ = explorer()._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert len(bundle["image/png"]) < 1_000_000


def test_three_forms_of_a_mask_stand_by_themselves(lab):
    lab.controls["convention"].value = "all three"
    assert [d.name for d in lab.drawings] == ["may_look", "hides", "added"]
    assert lab.controls["hide"].layout.display == "none"
    lab.controls["convention"].value = "may look"
    assert "weights" in [d.name for d in lab.drawings]


def test_what_real_tokens_give_to_padding_is_flagged_until_it_is_hidden():
    words = [*TOKENS[:2], *["⟨pad⟩"] * 3]
    explorer = explorers.mask_lab(SCORES, V, words, mask="none", real=2)
    wasted = np.zeros((5, 5), bool)
    wasted[:2, 2:] = True
    for mask, red in (("none", True), ("rows of padding", True), ("padding", False)):
        explorer.controls["mask"].value = mask
        shown = drawing(explorer, "weights")
        assert (shown.flagged == (wasted & red)).all()
        assert shown.note.startswith("! Real tokens give") == red
    share = explorers.mask_lab(SCORES, V, words, mask="none").values["weights"]
    explorer.controls["mask"].value = "none"
    assert f"{share[:2, 2:].sum() / 2:.0%}" in drawing(explorer, "weights").note


def test_the_bench_shows_what_enters_the_softmax_in_each_way():
    bench = explorers.hiding_bench(ROW, VALUES, SOURCE, hidden=[3])
    entering = bench.values["entering"]
    assert (entering[:, :3] == ROW[:3]).all()
    assert entering[:, 3].tolist() == [-np.inf, -np.inf, -1e9, ROW[3], ROW[3]]


def test_a_mask_at_rest_reads_in_words(lab):
    lab.controls["convention"].value = "all three"
    text = lab.text()
    assert "Ajish   True  False  False  False  False" in text
    assert "Ajish  False   True   True   True   True" in text
    assert "Ajish      0     −∞  −∞  −∞  −∞" in text


def test_the_lab_says_in_words_what_its_mask_does_to_the_weights():
    explorer = explorers.mask_lab(SCORES, V, TOKENS, mask="none")
    says = lambda: drawing(explorer, "weights").note  # noqa: E731
    assert says() == "All keys get some weight"
    explorer.controls["mask"].value = "causal"
    assert says() == "10 of 25 weights are 0"
    explorer.controls["hide"].value = "after"
    assert says() == f"! A row sums to {explorer.values['sum'].min():.2f}, not 1"
    for key in range(5):
        explorer.edit("look", 1, key, 0)
    explorer.controls["hide"].value = "−∞ by hand"
    assert says() == "! A query without an open key gets NaN"


def test_sums_are_drawn_where_they_are_not_1():
    explorer = explorers.mask_lab(SCORES, V, TOKENS)
    ways = explorer.controls["hide"]
    drawn = []
    for way in WAYS:
        ways.value = way
        drawn.append("sum" in [d.name for d in explorer.drawings])
    assert drawn == [way == "after" for way in WAYS]


def test_the_bench_says_which_way_differs_from_the_library_and_flags_it():
    bench = explorers.hiding_bench([0.2, 1.3, -0.4, 3.0], VALUES, hidden=[3])
    says = lambda: drawing(bench, "weights").note  # noqa: E731
    assert says() == "! “after” sums to 0.22, not 1.00"
    for name in ("sum", "output"):
        assert drawing(bench, name).flagged[:, 0].tolist() == [
            way == "after" for way in WAYS
        ]
    bench.edit("scores", 0, 3, -6.0)
    assert says().startswith("All 5 ways agree: output ")
    for key in range(3):
        bench.edit("look", 0, key, 0)
    assert says() == "! 3 of 5 ways do not sum to 0.00"


def test_all_that_moves_is_written_with_the_same_decimals():
    """−0.25 − 0.47 was −0.726: the terms had fewer decimals than the result."""
    assert {d.digits for d in explorers.leak_detector(TOKENS).drawings} == {2}


def test_the_leaks_of_the_token_that_is_changed_have_a_frame():
    detector = explorers.leak_detector(TOKENS, model="encoder")
    for position in (5, 2):
        detector.controls["position"].value = position
        moved = drawing(detector, "moved")
        assert np.flatnonzero(moved.outlined.any(axis=0)).tolist() == [position - 1]
        assert (moved.flagged >= moved.outlined).all()
