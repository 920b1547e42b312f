"""picture_writing without a browser: what it shows is how the DALL-E draws."""

import numpy as np
import pytest
import torch

from course import explorers
from course.data.shapes import COLORS, Scene, drawn, seen
from course.explorers.vision import picture_writing as room
from course.models import dalle
from transformer_lib import DecoderOnlyTransformer, Sampling

SAID = "a yellow cross at the bottom right"
OTHER = "a yellow square at the bottom right"
END, WORD = 64, 9
SEED = 1  # where the explorer begins
RED = 1 + [*COLORS].index("red")


def made(later=SAID, after=END, temperature=dalle.ADVISED, painted=()):
    """Draw: kinds (64,) and probabilities (2, 64, 10), the model's own first."""
    begun = [-1] * END
    for cell, kind in painted:
        begun[cell] = kind
    found = room.draw(SAID, later, after, temperature, SEED, tuple(begun))
    return found.kinds.ravel().numpy(), found.probabilities.transpose(2, 0, 1)


def picture_of(explorer):
    """The kinds of all cells of the finished picture."""
    explorer.controls["step"].value = END
    return explorer.values["picture"].astype(int) - 1


def drawing(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


# ── it draws as the library does ──────────────────────────────────────────────────────
@pytest.mark.parametrize(("temperature", "seed"), [(0.0, 0), (0.7, 1), (1.0, 3)])
def test_without_the_readers_help_it_is_what_the_library_draws(temperature, seed):
    explorer = explorers.picture_writing(SAID, temperature=temperature, seed=seed)
    sampling = Sampling(temperature=temperature) if temperature else None
    chance = torch.Generator().manual_seed(seed)
    [expected] = dalle.draw(dalle.trained(), [SAID], sampling, chance)
    np.testing.assert_array_equal(picture_of(explorer), expected)


@pytest.mark.parametrize("temperature", [0.5, 1.0])
def test_the_probabilities_of_every_step_are_the_librarys(temperature):
    kinds, found = made(temperature=temperature)
    np.testing.assert_allclose(found.sum(-1), 1, atol=1e-5)
    sampling = Sampling(temperature=temperature)
    for own, way in zip(found, (None, sampling), strict=True):
        [expected] = dalle.probabilities(
            dalle.trained(), [SAID], torch.tensor(kinds), way
        )
        np.testing.assert_allclose(own[:, :9], expected, atol=1e-4)


def test_the_most_likely_cell_is_drawn_at_temperature_0():
    _, (own, by) = made(temperature=0.0)
    np.testing.assert_array_equal(by, np.eye(10)[own.argmax(-1)])


# ── what the reader does ──────────────────────────────────────────────────────────────
def test_a_painted_cell_stands_and_changes_only_what_comes_behind_it():
    cell = 3 * 8 + 2
    before, probabilities = made()
    after, later = made(painted=[(cell, RED)])
    assert after[cell] == RED
    np.testing.assert_array_equal(after[:cell], before[:cell])
    np.testing.assert_allclose(
        later[:, : cell + 1], probabilities[:, : cell + 1], atol=1e-6
    )
    assert not np.allclose(later[:, cell + 1], probabilities[:, cell + 1], atol=1e-6)
    [expected] = dalle.probabilities(dalle.trained(), [SAID], torch.tensor(after))
    np.testing.assert_allclose(later[0, :, :9], expected, atol=1e-4)  # read as drawn


def test_what_the_reader_paints_is_drawn_so_and_says_how_it_surprised():
    explorer = explorers.picture_writing(SAID, step=27)
    before = explorer.values["probabilities"]
    explorer.edit("picture", 3, 2, RED + 1.0)
    assert explorer.values["picture"][3, 2] == RED + 1
    np.testing.assert_array_equal(explorer.values["probabilities"], before)
    assert drawing(explorer, "probabilities").note.endswith(": you painted it")
    surprise = explorer.values["surprise"][3, 2]
    own = made()[1][0, 26, RED]
    assert surprise == pytest.approx(1 - own, abs=1e-6)
    expected, _ = made(painted=[(26, RED)])
    np.testing.assert_array_equal(picture_of(explorer).ravel(), expected)


def test_a_cell_that_is_painted_ahead_is_seen_at_once_and_empty_gives_it_back():
    explorer = explorers.picture_writing(SAID, step=27)
    before = explorer.text()
    explorer.edit("picture", 7, 0, RED + 1.0)
    assert explorer.values["picture"][7, 0] == RED + 1
    assert not explorer.values["surprise"][7, 0]
    assert "1 painted by you" in drawing(explorer, "picture").note
    explorer.edit("picture", 7, 0, 0.0)
    assert explorer.text() == before


@pytest.mark.parametrize("kind", [-1.0, 0.5, 10.0])
def test_what_is_no_kind_of_cell_is_refused(kind):
    explorer = explorers.picture_writing(SAID)
    before = explorer.text()
    with pytest.raises(ValueError, match="picture must hold whole numbers from 0 to 9"):
        explorer.edit("picture", 0, 0, kind)
    assert explorer.text() == before


@pytest.mark.parametrize("step", [1, 12, END])
def test_the_cell_that_the_probabilities_are_of_is_framed(step):
    explorer = explorers.picture_writing(SAID, step=step)
    framed = np.flatnonzero(drawing(explorer, "picture").outlined)
    assert framed.tolist() == [step - 1]
    assert drawing(explorer, "probabilities").title == f"cell {step}"


def test_a_picture_that_is_all_painted_is_what_was_painted():
    scene = Scene("red", "frame", "top left")
    explorer = explorers.picture_writing(SAID)
    cells = drawn(scene)
    places = np.ndindex(8, 8)
    explorer.edit("picture", None, None, [(*at, 1.0 + int(cells[at])) for at in places])
    np.testing.assert_array_equal(picture_of(explorer), cells)
    assert drawing(explorer, "picture").note.endswith("red · frame · top left")


def test_a_caption_that_changes_half_way_is_read_from_there_on():
    before, _ = made()
    after, (own, _) = made(later=OTHER, after=40)
    np.testing.assert_array_equal(after[:40], before[:40])
    both = dalle.probabilities(
        dalle.trained(), [SAID, OTHER], torch.tensor(after)
    ).numpy()
    np.testing.assert_allclose(own[:40, :9], both[0, :40], atol=1e-4)
    np.testing.assert_allclose(own[40:, :9], both[1, 40:], atol=1e-4)


def test_the_caption_that_holds_stands_above_the_picture():
    explorer = explorers.picture_writing(SAID, later=OTHER, after=40)
    assert drawing(explorers.picture_writing(SAID), "picture").formula == ""
    for step, said in ((40, SAID), (41, OTHER)):
        explorer.controls["step"].value = step
        assert drawing(explorer, "picture").formula == f"“{said}”"
        expected = made(later=OTHER, after=40)[1][1:, step - 1].T
        np.testing.assert_array_equal(explorer.values["probabilities"], expected)


def test_a_caption_that_changes_before_the_first_cell_is_the_only_one():
    changed = explorers.picture_writing(SAID, later=OTHER, after=0)
    other = explorers.picture_writing(OTHER)
    np.testing.assert_array_equal(picture_of(changed), picture_of(other))


# ── what is shown ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("step", [1, 30, 63, 64])
def test_what_is_not_drawn_yet_is_not_shown(step):
    explorer = explorers.picture_writing(SAID)
    every = picture_of(explorer).ravel()
    explorer.controls["step"].value = step
    cells = explorer.values["picture"].ravel()
    np.testing.assert_array_equal(cells[:step], 1 + every[:step])
    assert not cells[step:].any()
    assert not explorer.values["surprise"].ravel()[step:].any()
    assert ("checker" in explorer.text()) == (step == END)


def test_surprise_is_what_the_model_itself_gave_to_other_cells():
    explorer = explorers.picture_writing(SAID, step=END)
    kinds, (own, by) = made()
    expected = 1 - own[range(END), kinds]
    np.testing.assert_allclose(explorer.values["surprise"].ravel(), expected, atol=1e-6)
    assert abs(own - by).max() > 0.05


def test_the_checker_says_what_the_picture_shows():
    explorer = explorers.picture_writing(SAID, temperature=0.0)
    found = seen(torch.tensor(picture_of(explorer)))
    note = drawing(explorer, "picture").note
    assert note.endswith(" · ".join(found) if found else "nothing that the data has")
    explorer.edit("picture", 0, 0, RED + 1.0)
    if seen(torch.tensor(picture_of(explorer))) is None:
        assert drawing(explorer, "picture").note.endswith("nothing that the data has")


def test_a_word_in_the_place_of_a_cell_is_shown_as_one(monkeypatch):
    torch.manual_seed(0)
    fresh = DecoderOnlyTransformer(dalle.SIZES).eval()  # knows no place of words yet
    monkeypatch.setattr(room, "_trained", lambda: fresh)
    found = room.draw.__wrapped__(SAID, SAID, END, 1.0, 0, (-1,) * END)
    words = found.kinds.ravel() == -1
    assert words.any()
    np.testing.assert_allclose(found.probabilities.sum(1), 1, atol=1e-5)
    monkeypatch.setattr(room, "draw", lambda *_: found)
    explorer = explorers.picture_writing(SAID, step=64)
    np.testing.assert_array_equal(explorer.values["picture"].ravel() == 0, words)
    assert seen(found.kinds) is None
    explorer.controls["step"].value = 1 + int(words.nonzero()[0])
    assert drawing(explorer, "probabilities").labels[WORD] == "a word ✓"


@pytest.mark.parametrize("name", ["caption", "later"])
def test_a_caption_that_cannot_be_read_is_refused_and_the_picture_stays(name):
    explorer = explorers.picture_writing(SAID)
    before = explorer.text()
    explorer.controls[name].value = "a pink cross"
    assert f"{name} must hold words that the model knows" in explorer.view.message
    explorer.controls[name].value = SAID
    assert explorer.text() == before
    with pytest.raises(ValueError, match=f"{name} must hold words .* 'pink'"):
        explorers.picture_writing(**{name: "a pink cross"})
