"""patch_attention without a browser: what it shows is where the ViT looks."""

import numpy as np
import pytest
import torch

from course import explorers
from course.data.digits import digits, shifted
from course.models import vit

NEW = digits("held out")


def drawing(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


def paint(explorer, *cells):
    explorer.edit("digit", None, None, cells)


@pytest.mark.parametrize(
    ("number", "block", "head", "asks", "push"),
    [
        (9, 1, "mean", 0, (0, 0)),
        (891, 2, "4", 0, (1, -1)),
        (1, 3, "1", 16, (-1, 1)),
    ],
)
def test_it_shows_where_the_model_looks_in_what_it_reads(
    number, block, head, asks, push
):
    right, down = push
    look = {"block": block, "head": head, "asks": asks, "right": right, "down": down}
    explorer = explorers.patch_attention(number, **look)
    [read] = shifted(NEW.pictures[[number - 1]], right, down)
    np.testing.assert_allclose(explorer.values["seen"], read)
    weights = vit.attention_weights(vit.trained(), read)[
        block - 1, :, asks
    ]  # (H, 1 + N)
    mine = weights.mean(0) if head == "mean" else weights[int(head) - 1]
    over = explorer.values["seen.weights"]
    np.testing.assert_allclose(over.ravel(), mine[1:], atol=1e-6)
    to_the_class_token = float(drawing(explorer, "seen").note.split("; ")[1].split()[0])
    assert over.sum() + to_the_class_token == pytest.approx(1, abs=0.006)
    maps = [explorer.values[f"head {n}"] for n in (1, 2, 3, 4)]
    np.testing.assert_allclose(np.reshape(maps, (4, -1)), weights[:, 1:], atol=1e-6)
    probabilities = vit.probabilities(vit.trained(), read[None])[0]
    np.testing.assert_allclose(
        explorer.values["probabilities"][:, 0], probabilities, atol=1e-6
    )


def test_who_looks_is_named_and_framed():
    explorer = explorers.patch_attention(asks=7)
    assert drawing(explorer, "seen").note.endswith("goes to the class token")
    framed = drawing(explorer, "head 1").outlined
    assert np.argwhere(framed).tolist() == [[1, 2]]
    explorer.controls["asks"].value = "the class token"
    assert drawing(explorer, "seen").note.endswith("goes to the class token itself")
    assert not drawing(explorer, "head 1").outlined.any()


def test_a_click_on_a_heads_map_shows_it_over_the_digit():
    explorer = explorers.patch_attention()
    explorer.choose("head 3")
    assert explorer.settings["head"] == "3"
    own = explorer.values["head 3"]
    np.testing.assert_array_equal(explorer.values["seen.weights"], own)


def test_what_is_painted_is_read_and_the_sign_of_its_writer_is_gone():
    explorer = explorers.patch_attention(5, right=1)
    meant = int(NEW.digits[4])
    assert f"{meant} ✓" in drawing(explorer, "probabilities").labels
    paint(explorer, (0, 0, 1.0), (3, 3, 0.25))
    painted = NEW.pictures[4].clone()
    painted[0, 0], painted[3, 3] = 1, 0.25
    [read] = shifted(painted[None], right=1)
    probabilities = vit.probabilities(vit.trained(), read[None])[0]
    np.testing.assert_allclose(
        explorer.values["probabilities"][:, 0], probabilities, atol=1e-6
    )
    assert "✓" not in explorer.text()


def test_another_digit_takes_the_place_of_what_was_painted_and_reset_of_all():
    explorer = explorers.patch_attention(5)
    before = explorer.text()
    paint(explorer, (0, 0, 1.0))
    explorer.controls["number"].value = 6
    np.testing.assert_allclose(explorer.values["digit"], NEW.pictures[5])
    paint(explorer, (0, 0, 1.0))
    explorer.controls["right"].value = 1
    explorer.reset()
    assert explorer.text() == before


def test_an_empty_sheet_of_paper_is_read_too():
    explorer = explorers.patch_attention()
    paint(explorer, *((r, c, 0.0) for r in range(8) for c in range(8)))
    probabilities = vit.probabilities(vit.trained(), torch.zeros(1, 8, 8))[0]
    np.testing.assert_allclose(
        explorer.values["probabilities"][:, 0], probabilities, atol=1e-6
    )


def test_every_new_digit_can_be_asked_for():
    last = explorers.patch_attention().controls["number"].max
    assert last == len(NEW.digits)
