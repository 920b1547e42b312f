"""training_scrubber without a browser: each step is the model as it was after it."""

import numpy as np
import pytest
import torch

from course import explorers
from course.data.pairs import EOS, SOS
from course.data.sequences import Sequences
from course.explorers.training.reading import WRONG, Reading
from course.explorers.training.training_scrubber import in_short
from course.models import french_steps
from course.models.pairs import pair_model, sizes, write
from course.models.small_model import Recipe
from course.models.snapshots import watch
from transformer_lib import record

SENTENCE = "the black cat sees a small house"
KEPT = french_steps.watched()


@pytest.fixture(scope="module")
def scrubber():
    return explorers.training_scrubber()


def drawn(explorer, name):
    [drawing] = (d for d in explorer.drawings if d.name == name)
    return drawing


def model_after(shot):
    model = KEPT.model()
    model.load_state_dict(shot.weights)
    return model


def ids(words):
    return torch.tensor([KEPT.task.vocabulary.encode(words)])


def test_the_row_is_followed_whose_word_the_model_learns_last():
    """It once opened on the end of the sentence, which the model knew first."""
    for step in (0, 78, 1000):
        made = explorers.training_scrubber(step=step)
        next_words = drawn(made, "next")
        assert next_words.rows[next_words.opens] == "chat"  # "noir" follows
        rows = {drawn(made, name).followed for name in ("head 1", "head 2", "next")}
        assert rows == {next_words.opens}


def test_heads_are_large_while_the_sentence_is_short():
    for sentence, size in (("I love AI", "plain"), ("the cat " * 6, "tiny")):
        made = explorers.training_scrubber(sentence=sentence)
        assert {drawn(made, f"head {h}").size for h in (1, 2)} == {size}


@pytest.mark.parametrize("place", [0, 9, -1])
def test_what_is_shown_is_what_the_model_of_that_step_computes(scrubber, place):
    shot = KEPT.shots[place]
    model = model_after(shot)
    [last] = write(KEPT.model(), KEPT.task, ids(SENTENCE))
    with torch.no_grad(), record(model) as tensors:
        logits = model(ids(SENTENCE), ids([SOS, *last]))
    scrubber.controls["step"].value = shot.step
    weights = tensors["decoder.blocks.0.cross_attention.weights"][0].numpy()
    for h in range(2):
        shown = scrubber.values[f"head {h + 1}"]
        np.testing.assert_allclose(shown, weights[h], atol=1e-6)
    columns = drawn(scrubber, "next").columns
    chances = logits[0].softmax(-1)[:, KEPT.task.vocabulary.encode(columns)]
    np.testing.assert_allclose(scrubber.values["next"], chances.numpy(), atol=1e-6)
    [alone] = write(model, KEPT.task, ids(SENTENCE))
    assert drawn(scrubber, "next").note == f"free-running output: “{in_short(alone)}”"


def test_a_step_is_explained_by_the_weights_of_its_own_snapshot():
    """One model for all steps held those of the snapshot that was read last."""
    reading = Reading(KEPT)
    seen = [reading.read(SENTENCE, n) for n in (4, 13, 4)]
    for n, one in zip((4, 13, 4), seen, strict=True):
        held = one.model.state_dict()
        for name, weights in KEPT.shots[n].weights.items():
            assert torch.equal(held[name], weights)


def test_a_word_that_is_said_again_and_again_is_written_once():
    """Twelve times “blanc” were wider than the page: at that step all moved."""
    said = ["les", "n'", "n'", "n'", "n'", "pas", "pas", "de", "reine"]
    assert in_short(said) == "les n' ×4 pas pas de reine"
    assert in_short([]) == ""
    reading = Reading(KEPT)
    written = [reading.read(SENTENCE, n).written for n in range(len(KEPT.shots))]
    assert max(len(" ".join(words)) for words in written) > 70
    assert max(len(in_short(words)) for words in written) < 50


def test_all_steps_are_asked_the_same(scrubber):
    """So a number that changes has changed by training alone."""
    asked = {}
    for shot in KEPT.shots[::8]:
        scrubber.controls["step"].value = shot.step
        panels = [drawn(scrubber, name) for name in ("head 1", "head 2", "next")]
        now = [(p.rows, p.columns) for p in panels], panels[-1].outlined.tolist()
        asked.setdefault("first", now)
        assert now == asked["first"]


def test_what_is_to_be_said_has_a_frame_and_the_most_likely_mistakes_a_column(scrubber):
    panel = drawn(scrubber, "next")
    framed = [panel.columns[c] for c in panel.outlined.argmax(1)]
    assert panel.outlined.sum(1).tolist() == [1] * len(panel.rows)
    assert framed == [*panel.rows[1:], EOS]
    assert [*panel.rows][:3] == [SOS, "le", "chat"]
    others = [word for word in panel.columns if word not in framed]
    assert len(others) == WRONG
    peaks = [chances_of(shot).amax(0) for shot in KEPT.shots]
    words = KEPT.task.vocabulary.words
    seen = dict(zip(words, torch.stack(peaks).amax(0).tolist(), strict=True))
    least = min(seen[word] for word in others)
    hidden = {word: p for word, p in seen.items() if word not in panel.columns}
    assert max(hidden.values()) <= least


def chances_of(shot):
    [last] = write(KEPT.model(), KEPT.task, ids(SENTENCE))
    with torch.no_grad():
        return model_after(shot)(ids(SENTENCE), ids([SOS, *last]))[0].softmax(-1)


def test_the_curves_are_those_of_the_snapshots_with_the_present_one_marked(scrubber):
    scrubber.controls["step"].value = KEPT.shots[9].step
    measured = np.array([shot.measured for shot in KEPT.shots])
    np.testing.assert_array_equal(scrubber.values["loss"][:, 1], measured[:, 0])
    np.testing.assert_array_equal(scrubber.values["right"], measured[:, 1:])
    end = np.mean(KEPT.losses[-5:])
    assert scrubber.values["loss"][-1, 0] == pytest.approx(end)
    assert scrubber.values["loss"][0, 0] == KEPT.losses[0]
    for name in ("loss", "right"):
        assert [*drawn(scrubber, name).x] == [shot.step for shot in KEPT.shots]
        assert drawn(scrubber, name).marks == [(9, "now")]


def test_another_sentence_is_read_by_the_models_of_the_same_training(scrubber):
    scrubber.controls["sentence"].value = "I love AI"
    assert drawn(scrubber, "next").rows == (SOS, "j'", "aime", "l'", "IA")
    assert drawn(scrubber, "head 1").columns == ("I", "love", "AI")
    scrubber.reset()
    assert scrubber.controls["step"].value == KEPT.shots[-1].step


@pytest.mark.parametrize(
    ("sentence", "naming"),
    [
        ("the Pilot", "got 'Pilot'"),
        (f"the {EOS}", "sentence must hold words that the model knows"),
        ("", "sentence must hold 1 to 13 words, got 0"),
        ("the " * 14, "sentence must hold 1 to 13 words, got 14"),
    ],
)
def test_a_sentence_that_cannot_be_read_is_refused_and_the_picture_stays(
    scrubber, sentence, naming
):
    scrubber.reset()
    before = scrubber.text()
    scrubber.controls["sentence"].value = sentence
    assert naming in scrubber.view.message
    assert scrubber.text() == before
    scrubber.reset()
    with pytest.raises(ValueError, match=naming):
        explorers.training_scrubber(sentence=sentence)


def test_a_step_without_a_snapshot_is_refused():
    with pytest.raises(ValueError, match="step must be one of"):
        explorers.training_scrubber(step=KEPT.shots[1].step + 1)
    with pytest.raises(TypeError, match="found must be a Snapshots"):
        explorers.training_scrubber(KEPT.model())
    with pytest.raises(ValueError, match="block must be 1 to 1, got 2"):
        explorers.training_scrubber(block=2)


def test_the_readers_own_training_is_shown_also_if_it_was_stopped():
    task = Sequences("reverse")
    config = sizes(task, d_model=8, n_heads=2, d_ff=8, n_decoder_layers=2)
    _, training = pair_model(task, config, Recipe(steps=4, warmup=1)).begin()
    *_, found = watch(training, task, 2)
    own = explorers.training_scrubber(found, "b a d g e", block=2)
    assert [*own.controls] == ["sentence", "step", "block"]
    second = own.values["head 1"].copy()
    own.controls["block"].value = 1
    assert not np.allclose(own.values["head 1"], second)
    begun = type(found)(found.task, found.config, [], found.shots[:1])
    alone = explorers.training_scrubber(begun, "b a d g e")
    assert alone.values["right"].shape == (1, 2)
    assert alone.values["loss"][0, 0] == found.shots[0].measured.loss


def test_a_loss_is_the_mean_of_the_steps_since_the_snapshot_before():
    task = Sequences("copy")
    config = sizes(task, d_model=8, n_heads=2, d_ff=8)
    _, training = pair_model(task, config, Recipe(steps=4, warmup=1)).begin()
    *_, found = watch(training, task, 2)
    assert [shot.step for shot in found.shots] == [0, 1, 4]
    own = explorers.training_scrubber(found, "b a d")
    first, *later = found.losses
    expected = [first, first, np.mean(later)]
    assert own.values["loss"][:, 0].tolist() == pytest.approx(expected)


def test_back_and_next_go_from_snapshot_to_snapshot(scrubber):
    scrubber.reset()
    scrubber.go(-2)
    assert scrubber.controls["step"].value == KEPT.shots[-3].step
    scrubber.go(1)
    assert scrubber.controls["step"].value == KEPT.shots[-2].step
