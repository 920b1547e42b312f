"""heads, head_split and split_lab without a browser."""

import re

import numpy as np
import pytest
import torch
from explanations import judge_drawn
from matplotlib.patches import PathPatch

from course import explorers
from course.data.grammar_sentences import SENTENCES
from course.experiments.heads import attend
from course.explorers.multi_head.heads import MODELS, OWN
from course.explorers.multi_head.split_lab import CODES, split, split_sheet
from course.models.next_word import load_heads
from transformer_lib import MultiHeadAttention
from transformer_lib.oracles import numpy_reference as reference

CATS = "the cats sleep under the tree and"


# ── split_lab ───────────────────────────────────────────────────────────────────
def at_step(step, T=3, H=2, D=8):
    """The tensor after a step, and the sheet and both drawings that show it."""
    sheet = split_sheet([f"w{n}" for n in range(T)], D, step=step, n_heads=H)
    return split(T, D, H, step), sheet, *sheet.drawings


@pytest.mark.parametrize("step", CODES)
@pytest.mark.parametrize(("T", "D", "H"), [(1, 1, 1), (3, 8, 2), (4, 8, 8), (3, 6, 3)])
def test_every_number_lies_where_its_index_and_the_strides_say(step, T, D, H):
    t, sheet, tensor, memory = at_step(step, T, H, D)
    line = torch.as_strided(t, (t.numel(),), (1,))  # memory itself
    across = int(memory.board[0])
    for n, saying in enumerate(tensor.sayings):
        index, address = re.search(r"index \[(.+)\] lies .* = (\d+)$", saying).groups()
        assert t[tuple(map(int, index.split(", ")))] == n
        assert line[int(address)] == n
        x, y, _ = sheet["memory"][n]
        assert y / 2 * across + x == int(address)


@pytest.mark.parametrize("step", CODES)
def test_the_titles_name_what_the_blocks_and_the_rows_hold(step):
    t, sheet, tensor, _ = at_step(step)
    marks = {(round(x, 9), y): text for x, y, text in tensor.marks}
    for n, (x, y, _) in enumerate(sheet["tensor"]):
        token, head = f"w{n // 8}", f"head {n % 8 // 4 + 1}"
        index = (t == n).nonzero()[0].tolist()
        row = marks[0.0, y]
        if t.dim() == 2:
            first = x - index[1] % 4  # where the columns of its head begin
            assert (marks[round(first, 9), 0.0], row) == (head, token)
            continue
        block = marks[round(x - index[2], 9), y - index[1] - 1]
        if step == "view alone":
            assert (block, row) == (f"head {index[0] + 1}?", f"row {index[1] + 1}")
        else:
            assert {block, row} == {token, head}


@pytest.mark.parametrize("step", CODES)
@pytest.mark.parametrize(("T", "H"), [(1, 1), (3, 2), (32, 1), (32, 8)])
def test_no_two_tiles_lie_on_one_place_and_all_on_the_board(step, T, H):
    lab = explorers.split_lab(8, H, [f"w{n}" for n in range(T)])
    lab.controls["step"].value = step
    for name, live in lab.view.live.items():
        places = lab.values[name][:, :2]
        assert len({tuple(place) for place in places}) == 8 * T
        assert (places.max(axis=0) + 1 <= live["board"]).all()


@pytest.mark.parametrize("step", ["view", "transpose", "view alone"])
def test_two_blocks_never_touch(step):
    tensor, sheet, *_ = at_step(step, T=4, H=4)
    blocks = np.argwhere(np.ones(tensor.shape))[
        np.argsort(tensor.numpy(), axis=None), 0
    ]
    places = sheet["tensor"][:, :2]
    apart = np.abs(places[:, None] - places).max(axis=-1)
    assert (apart[blocks[:, None] != blocks] > 1.5).all()


def test_the_split_is_the_layers_own():
    layer = MultiHeadAttention(8, 2)
    x = torch.arange(24.0).view(1, 3, 8)
    for step in ("transpose", "contiguous"):
        assert torch.equal(split(3, 8, 2, step).float(), layer._split(x)[0])
    assert not torch.equal(split(3, 8, 2, "view alone").float(), layer._split(x)[0])
    assert torch.equal(split(3, 8, 2, "joined again"), split(3, 8, 2, "x"))


@pytest.mark.parametrize(
    ("step", "moves"), [("transpose", False), ("contiguous", True)]
)
def test_only_a_copy_moves_numbers_in_memory(step, moves):
    _, sheet, _, memory = at_step(step)
    at = sheet["memory"][:, 0]  # of 24 numbers in one line
    assert (not np.array_equal(at, np.arange(24))) == moves
    assert memory.note.startswith("copied" if moves else "nothing has moved")


def test_only_a_copy_puts_the_numbers_of_a_head_together():
    notes = {step: at_step(step)[3].note for step in CODES}
    apart = "nothing has moved: each head lies in 3 pieces of memory"
    assert notes == dict.fromkeys(CODES, apart) | {
        "contiguous": "copied: each head lies in one piece of memory",
        "joined again": "copied: each head lies in 3 pieces of memory",
    }


def test_a_tile_tells_how_its_address_comes_about():
    lab = explorers.split_lab()
    lab.controls["step"].value = "transpose"
    says = lab.view.live["memory"]["sayings"][10]
    assert says == (
        "“is”, feature 3, head 1: index [0, 1, 2] lies at address 0·4 + 1·8 + 2·1 = 10"
    )


def test_one_head_or_one_token_moves_nothing():
    lab = explorers.split_lab(n_heads=1)
    lab.controls["step"].value = "contiguous"
    assert lab.view.live["memory"]["note"] == "nothing has moved in memory"


def test_a_tile_with_an_address_worth_reading_is_explained_first():
    lab = explorers.split_lab()
    for tiles in lab.drawings:
        said = tiles.sayings[tiles.opens]
        assert said.endswith("index [1, 5] lies at address 1·8 + 5·1 = 13")
    one = explorers.split_lab(1, 1, ["a"])
    assert [tiles.opens for tiles in one.drawings] == [0, 0]


def test_a_long_word_is_abbreviated_on_its_tiles_and_whole_in_what_is_said():
    tensor, _ = explorers.split_lab().drawings
    assert tensor.faces[-1] == ("pow.", "8")
    assert tensor.sayings[-1].startswith("“powerful”, feature 8")


@pytest.mark.parametrize(
    ("call", "error", "reason"),
    [
        (
            lambda: explorers.split_lab(9, 3),
            ValueError,
            "d_model must be 1 to 8, got 9",
        ),
        (lambda: explorers.split_lab(8, 3), ValueError, "n_heads must divide d_model"),
        (lambda: explorers.split_lab(0, 1), ValueError, "d_model must be"),
        (lambda: explorers.split_lab(8, 2, []), ValueError, "1 to 32 words, got 0"),
        (lambda: explorers.split_lab(8, 2, ["a"] * 33), ValueError, "32 words, got 33"),
        (lambda: explorers.split_lab(8, 2, "AI"), TypeError, "must be a list of words"),
        (lambda: explorers.head_split(["a"] * 17), ValueError, "16 words, got 17"),
        (
            lambda: explorers.head_split(d_model=64),
            ValueError,
            "must be 1 to 32, got 64",
        ),
        (lambda: explorers.head_split(n_heads=3), ValueError, "n_heads must divide"),
        (lambda: explorers.heads(3), TypeError, "sentence must be a string, got 3"),
        (
            lambda: explorers.heads("zebra"),
            ValueError,
            "knows, .* got 'zebra'",
        ),
        (lambda: explorers.heads(""), ValueError, "must hold 1 to 16 words, got 0"),
        (lambda: explorers.heads("the " * 200), ValueError, "1 to 16 words, got 200"),
        (lambda: explorers.heads("e" * 2001), ValueError, "at most 2000 characters"),
        (lambda: explorers.heads(CATS, head=5), ValueError, "head must be 1 to 4"),
        (lambda: explorers.heads(CATS, part="all"), ValueError, "part must be one of"),
        (lambda: explorers.heads(CATS, model="x"), ValueError, "model must be one of"),
        (lambda: explorers.split_lab(5.0), TypeError, "d_model must be an integer"),
        (lambda: explorers.split_lab(8, 0), ValueError, "n_heads must be 1 to 8"),
        (lambda: explorers.head_split(n_heads=[8]), TypeError, "n_heads must be an in"),
        (lambda: explorers.head_split(seed=-1), ValueError, "seed must be 0 to .* -1"),
        (lambda: explorers.head_split(seed=2.5), TypeError, "seed must be an integer"),
        (lambda: explorers.head_split(seed=[8]), TypeError, "seed must be an integer"),
        (lambda: explorers.head_split(seed=2**32), ValueError, "seed must be 0 to"),
        (lambda: explorers.heads(CATS, head=2.0), TypeError, "head must be an integ"),
        (
            lambda: explorers.heads(CATS, head=True),
            TypeError,
            "head must be an integer",
        ),
        (lambda: explorers.heads(["the", "cat"]), TypeError, "sentence must be a stri"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_value(call, error, reason):
    with pytest.raises(error, match=reason) as refusal:
        call()
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    "call",
    [
        lambda text: explorers.heads(text),
        lambda text: explorers.heads([text]),
        lambda text: explorers.heads(CATS, model=text),
        lambda text: explorers.heads(CATS, head=text),
        lambda text: explorers.head_split(text),
        lambda text: explorers.head_split(seed=text),
        lambda text: explorers.split_lab(text),
    ],
)
def test_a_refusal_of_a_very_long_text_is_short(call):
    with pytest.raises((ValueError, TypeError)) as refusal:
        call("x" * 100_000)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(("D", "H"), [(1, 1), (4, 2), (5, 1), (7, 1), (8, 2)])
@pytest.mark.parametrize("make", [explorers.split_lab, explorers.head_split])
def test_a_size_alone_is_never_refused_for_a_default_of_another(make, D, H):
    assert make(d_model=D).controls["n_heads"].value == H


def test_integers_of_numpy_are_integers_and_words_may_come_one_by_one():
    two, words = np.int64(2), ["a", "b"]
    assert explorers.split_lab(np.int64(8), two, iter(words)).settings["n_heads"] == 2
    split = explorers.head_split(iter(words), np.int64(8), two, seed=np.int64(3))
    np.testing.assert_array_equal(
        split.values["joined"],
        explorers.head_split(words, 8, 2, seed=3).values["joined"],
    )
    assert explorers.heads(CATS, head=two).settings["head"] == 2


# ── head_split ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("n_heads", [1, 2, 4, 8])
def test_each_head_attends_with_its_own_features_alone(n_heads):
    q, k, v = 1.5 * np.random.default_rng(7).normal(size=(3, 5, 8))
    steps, d_k = explorers.head_split(n_heads=n_heads).values, 8 // n_heads
    for h in range(n_heads):
        mine = np.s_[:, h * d_k : (h + 1) * d_k]
        out, w = reference.scaled_dot_product_attention(q[mine], k[mine], v[mine])
        np.testing.assert_allclose(steps[f"head {h + 1}"], w, atol=1e-12)
        np.testing.assert_allclose(steps["joined"][mine], out, atol=1e-12)


def test_every_head_says_which_features_are_its_own():
    split = explorers.head_split(d_model=8, n_heads=4).view.live
    assert [split[f"head {h}"]["formula"] for h in (1, 4)] == [
        "features 1–2",
        "features 7–8",
    ]
    alone = explorers.head_split(d_model=8, n_heads=8).view.live
    assert alone["head 3"]["formula"] == "feature 3"


# ── heads ───────────────────────────────────────────────────────────────────────
def test_the_explorer_shows_what_the_model_computes():
    explorer = explorers.heads(CATS, head=3)
    found = attend(CATS, [2])
    for h in range(4):
        np.testing.assert_array_equal(
            explorer.values[f"head {h + 1}"], found["weights"][h]
        )
    [rows] = [p["columns"] for p in explorer.view.panels if p["name"] == "next"]
    ids = load_heads()[1].encode(rows)
    for n, when in enumerate(("before", "after")):
        chances = found[f"predictions.{when}"][-1]
        np.testing.assert_array_equal(explorer.values["next"][n], chances[ids])
        assert chances.argmax() in ids
    assert explorer.values["next"][0].argmax() == 0


@pytest.mark.parametrize("head", [1, 2, 3, 4])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_words_are_the_most_likely_with_or_without_the_head(sentence, model, head):
    chances = attend(sentence, [head - 1], MODELS[model])
    either = np.max([chances[f"predictions.{w}"][-1] for w in ("before", "after")], 0)
    shown = explorers.heads(sentence, model=model, head=head).values["next"]
    np.testing.assert_array_equal(np.sort(shown.max(0)), np.sort(either)[-7:])
    assert (np.diff(shown[0]) <= 0).all()


@pytest.mark.parametrize(
    ("head", "part", "said"),
    [
        (4, "remove", "without head 4: “soft” (0.72), not “tall” (1.00)"),
        (4, "keep only", "only head 4: "),
        (1, "keep all", "all heads: “tall” (1.00)"),
    ],
)
def test_the_explorer_concludes_which_word_comes_next(head, part, said):
    explorer = explorers.heads(
        "the dog waits near the tree which is", head=head, part=part
    )
    likely = explorer.drawings[-1]
    assert likely.concludes
    assert likely.note.startswith(said)


def test_a_head_that_changes_no_prediction_is_said_not_to():
    [*_, likely] = explorers.heads(CATS, head=4).drawings
    assert likely.note.startswith("without head 4: still “they” (")


@pytest.mark.parametrize(
    ("n_heads", "said"),
    [
        (8, "“as” looks at “Ajish” in head 3, at “an” in head 5"),
        (1, "“as” looks most at “"),
    ],
)
def test_heads_that_look_at_different_words_are_named(n_heads, said):
    words = ["Ajish", "works", "as", "an", "AI"]
    *heads, joined = explorers.head_split(words, n_heads=n_heads).drawings
    assert joined.concludes
    assert joined.note.startswith(said)
    assert {one.followed for one in (*heads, joined)} == {2}
    assert bool(joined.sources) == (n_heads <= 4)  # many lines would cross each other


def test_the_next_words_are_named():
    explorer = explorers.heads(CATS, head=2)
    [frame] = [p for p in explorer.view.panels if p["name"] == "next"]
    vocabulary = load_heads()[1]
    best = int(explorer.values["next"][0].argmax())
    assert frame["columns"][best] == "they"
    assert set(frame["columns"]) <= set(vocabulary.words)


def test_of_a_head_that_is_kept_alone_all_others_are_removed():
    explorer = explorers.heads(CATS, head=2, part="keep only")
    chances = attend(CATS, [0, 2, 3])["predictions.after"][-1]
    [rows] = [p["columns"] for p in explorer.view.panels if p["name"] == "next"]
    np.testing.assert_array_equal(
        explorer.values["next"][1], chances[load_heads()[1].encode(rows)]
    )
    notes = [explorer.view.live[f"head {h}"]["note"] for h in (1, 2, 3, 4)]
    assert notes == ["removed", "→ the subject", "removed", "removed"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("part", ["remove", "keep only", "keep all"])
def test_every_number_of_a_trained_model_is_explained(model, part):
    """Each weight by its scores, and how likely a word is by the logits of all."""
    explorer = explorers.heads(CATS, model=model, part=part)
    *weights, likely = explorer.drawings
    assert {panel.provenance["op"] for panel in weights} == {"softmax"}
    assert [row["op"] for row in likely.provenance["rows"]] == ["elementwise"] * 2
    assert judge_drawn(explorer, 1e-6) == []


def test_with_no_head_removed_nothing_changes():
    values = explorers.heads(CATS, part="keep all").values
    np.testing.assert_array_equal(values["next"][0], values["next"][1])


def test_an_example_fills_the_line_and_a_line_is_ones_own():
    explorer = explorers.heads(CATS)
    example, sentence = explorer.controls["example"], explorer.controls["sentence"]
    example.value = SENTENCES[0]
    assert sentence.value == SENTENCES[0]
    assert explorer.values["head 1"].shape == (10, 10)
    sentence.value = "the cat sleeps"
    assert example.value == OWN
    assert explorer.values["head 1"].shape == (4, 4)


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "the \ud800", "\0", "😀" * 500, "the " * 17]
)
def test_a_sentence_that_cannot_be_read_keeps_the_last_good_picture(text):
    explorer = explorers.heads(CATS)
    before = explorer.view.data
    explorer.controls["sentence"].value = text
    assert explorer.view.message
    assert len(explorer.view.message.splitlines()) == 1
    explorer.view.message.encode()
    assert explorer.view.data == before


@pytest.mark.parametrize("head", [1, 2, 3, 4])
def test_a_click_on_a_small_head_chooses_it(head):
    explorer = explorers.heads(CATS)
    explorer.view._answer(None, {"type": "choose", "panel": f"head {head}"}, None)
    assert explorer.controls["head"].value == head
    assert explorer.view.live[f"head {head}"]["note"] == "removed"


def test_a_removed_head_is_faint_in_the_picture_at_rest():
    """Paper lies over its cells, which once looked as alive as the others'."""

    def covered(part):
        picture = explorers.heads(head=4, part=part).picture()
        patches = picture.findobj(lambda one: isinstance(one, PathPatch))
        return sum(patch.get_alpha() == 0.7 for patch in patches)

    assert [covered(part) for part in ("keep all", "remove", "keep only")] == [0, 1, 3]
