"""picture_writing without a browser: what it shows is how the DALL-E draws."""

import numpy as np
import pytest
import torch

from transformer_lib import DecoderOnlyTransformer, Sampling, explorers
from transformer_lib.data.shapes import COLOURS, Scene, drawn, seen
from transformer_lib.explorers.vision import picture_writing as room
from transformer_lib.small_models.multimodal import dalle

SAID = "a yellow cross at the bottom right"
OTHER = "a yellow square at the bottom right"
END, NEXT, NOT_YET = 64, 10, 11
SEED = 1  # where the explorer begins
RED = 1 + [*COLOURS].index("red")


def made(later=SAID, after=END, temperature=0.7, painted=()):
    """Draw a picture: its kinds (64,) and odds (2, 64, 10), the model's own first."""
    begun = [-1] * END
    for cell, kind in painted:
        begun[cell] = kind
    found = room.draw(SAID, later, after, temperature, SEED, tuple(begun))
    return found.kinds.ravel().numpy(), found.odds.transpose(2, 0, 1)


def picture_of(explorer):
    """The kinds of all cells of the finished picture."""
    explorer.controls["step"].value = END
    return explorer.values["drawn"].astype(int).copy()


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
def test_the_odds_of_every_step_are_the_librarys(temperature):
    kinds, found = made(temperature=temperature)
    np.testing.assert_allclose(found.sum(-1), 1, atol=1e-5)
    sampling = Sampling(temperature=temperature)
    for own, way in zip(found, (None, sampling), strict=True):
        [expected] = dalle.odds(dalle.trained(), [SAID], torch.tensor(kinds), way)
        np.testing.assert_allclose(own[:, :9], expected, atol=1e-4)


def test_the_likeliest_cell_is_drawn_at_temperature_0():
    _, (own, by) = made(temperature=0.0)
    np.testing.assert_array_equal(by, np.eye(10)[own.argmax(-1)])


# ── what the reader does ──────────────────────────────────────────────────────────────
def test_a_painted_cell_stands_and_changes_only_what_comes_behind_it():
    cell = 3 * 8 + 2
    before, odds = made()
    after, later = made(painted=[(cell, RED)])
    assert after[cell] == RED
    np.testing.assert_array_equal(after[:cell], before[:cell])
    np.testing.assert_allclose(later[:, : cell + 1], odds[:, : cell + 1], atol=1e-6)
    assert not np.allclose(later[:, cell + 1], odds[:, cell + 1], atol=1e-6)
    [expected] = dalle.odds(dalle.trained(), [SAID], torch.tensor(after))
    np.testing.assert_allclose(later[0, :, :9], expected, atol=1e-4)  # read as drawn


def test_what_the_reader_paints_is_drawn_so_and_says_how_it_surprised():
    explorer = explorers.picture_writing(SAID, step=27)
    before = explorer.values["odds"]
    explorer.edit("begun", 3, 2, RED + 1.0)
    assert explorer.values["drawn"][3, 2] == RED
    np.testing.assert_array_equal(explorer.values["odds"], before)
    assert drawing(explorer, "odds").note == "✓ painted by you"
    surprise = explorer.values["surprise"][3, 2]
    assert surprise == pytest.approx(1 - before[RED, 0], abs=1e-6)
    expected, _ = made(painted=[(26, RED)])
    np.testing.assert_array_equal(picture_of(explorer).ravel(), expected)


def test_a_picture_that_is_all_painted_is_what_was_painted():
    scene = Scene("red", "frame", "top left")
    explorer = explorers.picture_writing(SAID)
    cells = drawn(scene)
    places = np.ndindex(8, 8)
    explorer.edit("begun", None, None, [(*at, 1.0 + int(cells[at])) for at in places])
    np.testing.assert_array_equal(picture_of(explorer), cells)
    assert drawing(explorer, "drawn").note.endswith("red · frame · top left")


def test_a_caption_that_changes_half_way_is_read_from_there_on():
    before, _ = made()
    after, (own, _) = made(later=OTHER, after=40)
    np.testing.assert_array_equal(after[:40], before[:40])
    both = dalle.odds(dalle.trained(), [SAID, OTHER], torch.tensor(after)).numpy()
    np.testing.assert_allclose(own[:40, :9], both[0, :40], atol=1e-4)
    np.testing.assert_allclose(own[40:, :9], both[1, 40:], atol=1e-4)


def test_the_caption_that_holds_stands_above_the_picture():
    explorer = explorers.picture_writing(SAID, later=OTHER, after=40)
    for step, said in ((40, SAID), (41, OTHER)):
        explorer.controls["step"].value = step
        assert drawing(explorer, "drawn").formula == f"“{said}”"
        expected = made(later=OTHER, after=40)[1][:, step - 1].T
        np.testing.assert_array_equal(explorer.values["odds"], expected)


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
    cells = explorer.values["drawn"].ravel()
    np.testing.assert_array_equal(cells[:step], every[:step])
    assert cells[step:].tolist() == [NEXT, *[NOT_YET] * (END - step - 1)][: END - step]
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
    note = drawing(explorer, "drawn").note
    assert note.endswith(" · ".join(found) if found else "nothing that the data has")
    explorer.edit("begun", 0, 0, RED + 1.0)
    picture_of(explorer)
    if seen(torch.tensor(explorer.values["drawn"].astype(int))) is None:
        assert drawing(explorer, "drawn").note.endswith("nothing that the data has")


def test_a_word_in_the_place_of_a_cell_is_shown_as_one(monkeypatch):
    torch.manual_seed(0)
    fresh = DecoderOnlyTransformer(dalle.SIZES).eval()  # knows no place of words yet
    monkeypatch.setattr(dalle, "trained", lambda: fresh)
    found = room.draw.__wrapped__(SAID, SAID, END, 1.0, 0, (-1,) * END)
    words = found.kinds.ravel() == -1
    assert words.any()
    np.testing.assert_allclose(found.odds.sum(1), 1, atol=1e-5)
    monkeypatch.setattr(room, "draw", lambda *_: found)
    explorer = explorers.picture_writing(SAID, step=64)
    np.testing.assert_array_equal(explorer.values["drawn"].ravel() == 9, words)
    assert seen(found.kinds) is None


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
