"""heads, head_split and split_lab without a browser."""

import numpy as np
import pytest
import torch

from transformer_lib import MultiHeadAttention, explorers
from transformer_lib.explorers.multi_head.head_split import head_split_steps
from transformer_lib.explorers.multi_head.heads import OWN
from transformer_lib.explorers.multi_head.splitting import STEPS, split, split_steps
from transformer_lib.tasks.heads import SENTENCES, attend, load_heads

CATS = "the cats sleep under the tree and"


# ── split_lab ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("T", "D", "H"), [(1, 1, 1), (3, 8, 2), (4, 8, 8), (3, 6, 3)])
def test_every_number_lies_where_its_index_and_the_strides_say(step, T, D, H):
    t, arrays = split(T, D, H, step), split_steps(T, D, step=step, n_heads=H)
    line = torch.as_strided(t, (t.numel(),), (1,))  # memory itself
    for n in range(t.numel()):
        index = tuple(arrays["index"][n].astype(int))
        assert t[index] == n
        assert line[int(arrays["address"][n, 0])] == n


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("T", "H"), [(1, 1), (3, 2), (32, 1), (32, 8)])
def test_no_two_tiles_lie_on_one_place_and_all_on_the_board(step, T, H):
    lab = explorers.split_lab(8, H, [f"w{n}" for n in range(T)])
    lab.controls["step"].value = step
    for name, live in lab.view.live.items():
        places = lab.values[name][:, :2]
        assert len({tuple(place) for place in places}) == 8 * T
        assert (places.max(axis=0) + 1 <= live["board"]).all()


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
    at = split_steps(3, 8, step=step, n_heads=2)["address"][:, 0]
    assert (not np.array_equal(at, np.arange(24))) == moves
    lab = explorers.split_lab()
    lab.controls["step"].value = step
    note = next(iter(lab.views.values())).live["memory"]["note"]
    assert note.startswith("copied" if moves else "nothing has moved")


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


@pytest.mark.parametrize(
    ("call", "error", "reason"),
    [
        (lambda: explorers.split_lab(9, 3), ValueError, "may be 8 at most, got 9"),
        (lambda: explorers.split_lab(8, 3), ValueError, "n_heads must divide d_model"),
        (lambda: explorers.split_lab(0, 1), ValueError, "d_model must be"),
        (lambda: explorers.split_lab(8, 2, []), ValueError, "1 to 32 words, got 0"),
        (lambda: explorers.split_lab(8, 2, ["a"] * 33), ValueError, "32 words, got 33"),
        (lambda: explorers.split_lab(8, 2, "AI"), TypeError, "must be a list of words"),
        (lambda: explorers.head_split(["a"] * 17), ValueError, "16 words, got 17"),
        (lambda: explorers.head_split(d_model=64), ValueError, "32 at most, got 64"),
        (lambda: explorers.head_split(n_heads=3), ValueError, "n_heads must divide"),
        (lambda: explorers.heads(3), TypeError, "sentence must be text, got 3"),
        (lambda: explorers.heads("zebra"), ValueError, "does not know .*zebra"),
        (lambda: explorers.heads(""), ValueError, "must hold 1 to 16 words, got 0"),
        (lambda: explorers.heads("the " * 200), ValueError, "may have 400 characters"),
        (lambda: explorers.heads(CATS, head=5), ValueError, "head must be 1 to 4"),
        (lambda: explorers.heads(CATS, removed=0), ValueError, "removed must be 1 to"),
        (lambda: explorers.heads(CATS, model="x"), ValueError, "model must be one of"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_value(call, error, reason):
    with pytest.raises(error, match=reason):
        call()


# ── head_split ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("n_heads", [1, 2, 4, 8])
def test_each_head_attends_with_its_own_features_alone(n_heads):
    from transformer_lib.explorers.multi_head.head_split import _random
    from transformer_lib.oracles import numpy_reference as reference

    q, k, v = _random(5, 8, 7).numpy()
    steps, d_k = head_split_steps(5, 8, n_heads, 7), 8 // n_heads
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
    explorer = explorers.heads(CATS, head=3, removed=2)
    found = attend(CATS, [1])
    for h in range(4):
        np.testing.assert_array_equal(
            explorer.values[f"head {h + 1}"], found["weights"][h]
        )
    np.testing.assert_array_equal(explorer.values["weights"], found["weights"][2])
    ids = explorer.values["next.ids"][0].astype(int)
    after = found["predictions.after"][-1]
    np.testing.assert_array_equal(explorer.values["next"][:, 1], after[ids])
    assert after.argmax() in ids
    assert found["predictions.before"][-1].argmax() == ids[0]


def test_the_next_words_are_named():
    explorer = explorers.heads(CATS, removed=2)
    [frame] = [p for p in explorer.view.panels if p["name"] == "next"]
    vocabulary = load_heads()[1]
    best = int(explorer.values["next"][:, 0].argmax())
    assert frame["rows"][best] == "they"
    assert set(frame["rows"]) <= set(vocabulary.words)


def test_with_no_head_removed_nothing_moves():
    values = explorers.heads(CATS).values
    assert (values["moved"] == 0).all()
    np.testing.assert_array_equal(values["next"][:, 0], values["next"][:, 1])


def test_an_example_fills_the_line_and_a_line_is_ones_own():
    explorer = explorers.heads(CATS)
    example, sentence = explorer.controls["example"], explorer.controls["sentence"]
    example.value = SENTENCES[0]
    assert sentence.value == SENTENCES[0]
    assert explorer.values["weights"].shape == (10, 10)
    sentence.value = "the cat sleeps"
    assert example.value == OWN
    assert explorer.values["weights"].shape == (4, 4)


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
def test_a_click_on_a_small_head_shows_it_large(head):
    explorer = explorers.heads(CATS)
    explorer.view._answer(None, {"type": "choose", "panel": f"head {head}"}, None)
    assert explorer.controls["head"].value == head
    small, large = (explorer.values[n] for n in (f"head {head}", "weights"))
    np.testing.assert_array_equal(large, small)
