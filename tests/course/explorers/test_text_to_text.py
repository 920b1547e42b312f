"""text_to_text: what it writes and where it looks are those of the model."""

import numpy as np
import pytest
from explanations import recomputed

from course import explorers
from course.data.three_tasks import TASKS
from course.explorers.language.text_to_text import COLUMNS
from course.models import t5

SENTENCE = "the old cat loves AI"
TEXTS = {
    "translate": f"translate: {SENTENCE}",
    "summarise": f"summarise: {SENTENCE}",
    "question": f"question: who loves AI ? context: {SENTENCE}",
}


def drawing(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


def line(explorer):
    """What the chosen task reads and writes."""
    lines = drawing(explorer, "tasks").sayings[:: len(COLUMNS)]
    return lines[TASKS.index(explorer.settings["task"])]


@pytest.mark.parametrize("task", TASKS)
def test_a_text_with_its_prefix_is_read_and_answered_as_by_the_model(task):
    explorer = explorers.text_to_text(SENTENCE, task)
    words, weights = t5.attention_weights(t5.trained(), TEXTS[task])
    weighed = drawing(explorer, "weights")
    assert [*weighed.columns] == TEXTS[task].split()
    assert [*weighed.rows] == [*words, "⟨EOS⟩"]
    said = t5.answer(t5.trained(), TEXTS[task])
    assert line(explorer) == f"{TEXTS[task]} → {said}"
    mean = weights[0].mean(0)
    np.testing.assert_allclose(explorer.values["weights"][:-1], mean, atol=1e-5)
    shown = explorer.controls["question"].layout.display is None
    assert shown == (task == "question")


@pytest.mark.parametrize("head", ["1", "4"])
def test_of_one_head_every_weight_is_what_its_explanation_comes_to(head):
    explorer = explorers.text_to_text(SENTENCE, head=head)
    _, weights = t5.attention_weights(t5.trained(), TEXTS["translate"])
    own = explorer.values["weights"]
    np.testing.assert_allclose(own[:-1], weights[0, int(head) - 1], atol=1e-5)
    made = drawing(explorer, "weights").provenance
    assert made["op"] == "softmax"
    found = recomputed(explorer.values, "weights", made)
    np.testing.assert_allclose(found, own, atol=1e-4)


def test_what_each_task_writes_is_listed_and_a_click_chooses_one():
    explorer = explorers.text_to_text(SENTENCE, "question", prefix="translate:")
    lines = drawing(explorer, "tasks").sayings[:: len(COLUMNS)]
    for task, line in zip(TASKS, lines, strict=False):
        read = TEXTS[task].replace("question:", "translate:")  # the one that is chosen
        assert line == f"{read} → {t5.answer(t5.trained(), read) or 'nothing'}"
    explorer.choose("tasks", len(COLUMNS) * TASKS.index("summarise"))
    assert explorer.settings["task"] == "summarise"


def test_a_task_whose_text_cannot_be_read_refuses_no_other():
    long = " ".join([SENTENCE] * 3)
    explorer = explorers.text_to_text(long, "translate")
    faces = [face for _, face in drawing(explorer, "tasks").faces]
    first = len(COLUMNS) * TASKS.index("question")
    assert faces[first : first + len(COLUMNS)] == ["question:", "…", "…"]


@pytest.mark.parametrize("prefix", ["translate:", "summarise:", "question:", "none"])
def test_an_exchanged_prefix_is_read_before_the_same_words(prefix):
    explorer = explorers.text_to_text(SENTENCE, "translate", prefix=prefix)
    text = " ".join([*[prefix] * (prefix != "none"), SENTENCE])
    assert [*drawing(explorer, "weights").columns] == text.split()
    said = t5.answer(t5.trained(), text)
    assert line(explorer) == f"{text} → {said or 'nothing'}"


def test_capitals_do_not_matter():
    explorer = explorers.text_to_text("i LOVE ai")
    assert [*drawing(explorer, "weights").columns] == ["translate:", "I", "love", "AI"]
    assert line(explorer).endswith("→ J'aime l'IA")


def test_commas_and_full_stops_do_not_matter_and_a_question_mark_is_a_word():
    explorer = explorers.text_to_text("The old cat, loves AI.")
    assert " ".join(drawing(explorer, "weights").columns) == TEXTS["translate"]
    explorer = explorers.text_to_text(SENTENCE, "question", question="Who loves AI?")
    assert " ".join(drawing(explorer, "weights").columns) == TEXTS["question"]


def test_a_question_that_is_refused_can_be_seen():
    explorer = explorers.text_to_text(SENTENCE, "question")
    question = explorer.controls["question"]
    question.value = "why?"
    explorer.controls["task"].value = "translate"
    assert (explorer.view.message, question.layout.display) == ("", "none")
    explorer.controls["task"].value = "question"
    assert "question must hold words that the model knows" in explorer.view.message
    assert question.layout.display is None
    question.value = "who loves AI?"
    assert explorer.view.message == ""


@pytest.mark.parametrize(
    ("call", "naming"),
    [
        ({"question": ""}, "question must hold 1 to 20 words, got 0"),
        ({"sentence": ", ."}, "sentence must hold 1 to 20 words, got 0"),
        ({"sentence": ""}, "sentence must hold 1 to 20 words, got 0"),
        ({"sentence": "I love café"}, "words that the model knows, .* got 'café'"),
        ({"sentence": "⟨SOS⟩ love AI"}, "words that the model knows, .* got '⟨SOS⟩'"),
        ({"sentence": "cat " * 20}, "at most 20 words .*, got 21"),
        ({"task": "question", "question": "why ?"}, "question must hold .* 'why'"),
        ({"task": "sing"}, "task must be one of"),
        ({"prefix": "sing:"}, "prefix must be one of"),
        ({"head": "5"}, "head must be one of"),
    ],
)
def test_what_cannot_be_read_is_refused(call, naming):
    with pytest.raises(ValueError, match=naming):
        explorers.text_to_text(**call)


def test_the_longest_text_fits():
    explorer = explorers.text_to_text("cat " * 19)
    assert explorer.values["weights"].shape[1] == 20
