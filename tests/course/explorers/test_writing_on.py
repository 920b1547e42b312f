"""writing_on: what it shows of a text is how the model of the course writes it."""

import numpy as np
import pytest
import torch

from course import explorers
from course.data.documentation import VOCABULARY, in_ids
from course.explorers.language import writing_on
from course.explorers.language.writing_on import ACROSS, SEEN, WEIGHTS, laid_out
from course.models import gpt
from transformer_lib import Sampling, record

PROMPT = "The value"
LENGTH = 6


def writing(**settings):
    return explorers.writing_on(PROMPT, **{"characters": LENGTH} | settings)


def drawing(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


def characters(explorer):
    """The text that the tiles say, up to what comes next."""
    faces = [below for _, below in drawing(explorer, "text").faces]
    marked = [above for above, _ in drawing(explorer, "text").faces].index("✓")
    unseen = {sign: character for character, sign in SEEN.items()}
    return "".join(unseen.get(face, face) for face in faces[: marked + 1])


@pytest.mark.parametrize("temperature", [0.0, 0.8, 2.0])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_text_is_that_of_the_model_with_its_seed(temperature, seed):
    sampling = Sampling(temperature=temperature) if temperature else None
    said = gpt.write(gpt.trained(), PROMPT, LENGTH, sampling, seed)
    explorer = writing(temperature=temperature, seed=seed)
    for step in range(1, LENGTH + 1):
        explorer.controls["step"].value = step
        assert characters(explorer) == said[: len(PROMPT) + step]


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.7])
def test_the_probabilities_are_those_of_the_text_so_far_and_what_they_are_drawn_from(
    temperature,
):
    explorer = writing(temperature=temperature, step=4)
    text = characters(explorer)
    with torch.no_grad():
        logits = gpt.trained()(in_ids(text[:-1])[None])[0, -1]
    drawn = torch.nn.functional.one_hot(logits.argmax(), len(logits))
    if temperature:
        drawn = (logits / temperature).softmax(-1)
    bars = drawing(explorer, "next")
    *labels, _ = bars.labels
    [taken] = [label for label in labels if label.endswith(" ✓")]
    assert taken.removesuffix(" ✓") == SEEN.get(text[-1], text[-1])
    names = [SEEN.get(c, c) for c in VOCABULARY.words]
    for label, row in zip(labels, explorer.values["next"], strict=False):
        token = names.index(label.removesuffix(" ✓"))
        both = [logits.softmax(-1)[token], drawn[token]]
        np.testing.assert_allclose(row, both, atol=1e-5)
    np.testing.assert_allclose(explorer.values["next"].sum(0), 1, atol=1e-5)


@pytest.mark.parametrize(("layer", "head"), [(1, 1), (4, 3)])
def test_the_shades_are_what_the_last_character_looks_at(layer, head):
    explorer = writing(step=5, layer=layer, head=head)
    text = characters(explorer)
    model = gpt.trained()
    with torch.no_grad(), record(model) as tensors:
        model(in_ids(text[:-1])[None])
    weights = tensors[WEIGHTS.format(layer - 1)][0, head - 1, -1].numpy()
    tiles = explorer.values["text"]
    read = len(text) - 1
    np.testing.assert_allclose(tiles[:read, 2], 20 * weights, atol=0.51)
    assert not tiles[read:, 2].any()  # what comes next is not looked at
    for n, weight in enumerate(weights):
        above, _ = drawing(explorer, "text").faces[n]
        assert float(above or 0) == pytest.approx(100 * weight, abs=0.51)
    np.testing.assert_array_equal(tiles[: read + 1, :2], laid_out(text))


def test_what_is_not_written_yet_is_not_shown():
    explorer = writing(step=2)
    faces = drawing(explorer, "text").faces
    assert len(faces) == len(PROMPT) + LENGTH
    assert {*faces[len(PROMPT) + 2 :]} == {("", "")}
    places = explorer.values["text"][len(PROMPT) + 1 :, :2].tolist()
    assert places[0] not in places[1:]  # they covered what comes next


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a" * ACROSS + " b", ["a" * ACROSS + " ", "b"]),
        ("a" * (ACROSS - 2) + " bc", ["a" * (ACROSS - 2) + " ", "bc"]),
        ("a" * (ACROSS + 3), ["a" * ACROSS, "aaa"]),
        ("a\nb", ["a\n", "b"]),
        ("a  " + " " * ACROSS, ["a  " + " " * (ACROSS - 2), "  "]),
    ],
)
def test_a_running_text_is_broken_before_a_word(text, lines):
    places = laid_out(text)
    assert places == [
        (column, line) for line, some in enumerate(lines) for column in range(len(some))
    ]


def test_a_running_text_shows_spaces_as_spaces_and_names_them_where_they_stand_alone():
    explorer = writing(step=1)
    text = drawing(explorer, "text")
    gaps = [n for n, character in enumerate(PROMPT) if character == " "]
    assert {text.faces[n][1] for n in gaps} == {" "}
    assert all("“␣”" in text.sayings[n] for n in gaps)
    [line] = text.table(explorer.values)
    assert all(line[1 + n].endswith("␣") for n in gaps)


def test_a_step_on_writes_a_few_characters_and_not_the_text_again():
    explorer = writing(seed=5, characters=40, step=32)
    passes = []
    count = writing_on._trained().register_forward_pre_hook(lambda *_: passes.append(1))
    try:
        explorer.go(1)
    finally:
        count.remove()
    assert 0 < len(passes) < 12
    said = gpt.write(gpt.trained(), PROMPT, 33, Sampling(temperature=0.8), 5)
    assert characters(explorer) == said


def test_it_goes_to_the_end_and_back():
    explorer = writing()
    explorer.go(LENGTH)
    assert explorer.settings["step"] == LENGTH
    explorer.go(-2)
    assert explorer.settings["step"] == LENGTH - 2


@pytest.mark.parametrize(
    ("call", "naming"),
    [
        ({"prompt": ""}, "prompt must hold a character that is no space, got ''"),
        ({"prompt": "  "}, "prompt must hold a character that is no space, got ' '"),
        ({"prompt": "a" * 65}, "prompt must hold at most 64 characters, got 65"),
        ({"prompt": "a café"}, "an English keyboard writes, got 'é'"),
        ({"prompt": "a\nb"}, r"an English keyboard writes, got '\\n'"),
        ({"temperature": 2.5}, "temperature must"),
        ({"layer": 5}, "layer must be 1 to 4, got 5"),
        ({"head": 0}, "head must be 1 to 4, got 0"),
        ({"step": 61}, "step must be 1 to 60, got 61"),
        ({"characters": 65}, "characters must be 1 to 64, got 65"),
    ],
)
def test_what_cannot_be_written_is_refused(call, naming):
    with pytest.raises(ValueError, match=naming):
        explorers.writing_on(**call)


def test_the_longest_prompt_fits_and_goes_on():
    prompt = "a " * 32
    explorer = explorers.writing_on(prompt, characters=64, step=64)
    chance = Sampling(temperature=0.8)
    assert characters(explorer) == gpt.write(gpt.trained(), prompt, 64, chance)
    assert len(explorer.values["text"]) == 128 == gpt.SIZES.max_length


def test_next_leaves_the_layer_that_is_looked_at():
    explorer = explorers.writing_on("The value", characters=3, layer=4)
    explorer.go(1)
    assert (explorer.settings["step"], explorer.settings["layer"]) == (2, 4)
