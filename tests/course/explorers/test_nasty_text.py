"""Text that nobody expects is shown as text by every explorer, or refused in a line."""

import io
import json

import numpy as np
import pytest
from gallery import A_FEW, GALLERY, NAMED, SENTENCES, TYPED
from nasty import SOME, STRINGS

from explorable.drawings.matrix import Matrix
from explorable.views import view_in

# All of them in a few explorers, some of them in the others.
WORDS = [(name, STRINGS if name in A_FEW else SOME) for name in NAMED]
TEXTS = [(name, label) for name, labels in SENTENCES.items() for label in labels]


def sendable(explorer):
    """Whether the page can be told all that an explorer's views hold."""
    for view in explorer.views.values():
        state = {k: x for k, x in view.get_state().items() if k != "data"}
        packed = json.dumps(state, ensure_ascii=False, allow_nan=False, default=str)
        packed.encode("utf-8")


def labels_of(explorer):
    """Every label of every matrix and every tile's word, as the page is told it."""
    panels = [p for view in explorer.views.values() for p in view.panels]
    words = {t for p in panels for t in (*p.get("rows", ()), *p.get("columns", ()))}
    words |= {ink["name"] for p in panels for ink in p.get("inks", ())}
    lives = [live for view in explorer.views.values() for live in view.live.values()]
    words |= {word for live in lives for word in live.get("words", ())}
    return words | {word for p in panels for word, _ in p.get("faces", ())}


def one_clear_line(message):
    assert message.strip()
    assert len(message.splitlines()) == 1, message
    assert len(message) <= 300, f"{len(message)} characters: {message[:200]}"


@pytest.mark.parametrize(("name", "texts"), WORDS, ids=NAMED)
def test_words_of_any_kind_are_labels_or_are_refused_in_one_line(name, texts):
    size = 4
    for word in texts:
        words = [word, *(f"w{n}" for n in range(1, size))]
        try:
            explorer = GALLERY[name].make(size, repr(words))
        except (ValueError, TypeError) as error:
            one_clear_line(str(error))
        else:
            sendable(explorer)
            # What is abbreviated on a tile is written out in what is said of it.
            said = [x for d in explorer.drawings for x in getattr(d, "sayings", ())]
            assert word in labels_of(explorer) or any(word in one for one in said)
            explorer.text()


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_words_of_any_kind_have_a_picture_at_rest(name):
    fit = [s for s in STRINGS if len(s) <= 200 and s.encode("utf-8", "ignore")]
    fit = [s for s in fit if s.encode("utf-8", "replace").decode() == s][:12]
    explorer = GALLERY[name].make(12, repr(fit))
    explorer.picture().savefig(io.BytesIO(), format="png", dpi=20)


@pytest.mark.parametrize("name", TYPED)
def test_what_is_typed_into_a_cell_is_a_number_or_is_refused_in_one_line(name):
    explorer = GALLERY[name].make(4)
    view = next(
        v for v in explorer.views.values() if isinstance(v, view_in(Matrix.folder()))
    )
    answers = []
    view.send = answers.append
    editable = [p for p in view.panels if p["editable"]]
    for panel in editable:
        at = {"panel": panel["toggles"] or panel["name"], "row": 0, "column": 0}
        before = explorer.inputs[at["panel"]].copy()
        for text in STRINGS:
            view._answer(None, {"type": "edit", "text": text, "nudge": 0, **at}, None)
            if answers[-1]["type"] == "refused":
                one_clear_line(answers[-1]["why"])
            sendable(explorer)
            json.dumps(answers[-1], ensure_ascii=False).encode("utf-8")
        explorer.edit(at["panel"], 0, 0, 1.0)
        assert explorer.inputs[at["panel"]][0, 0] == 1.0
        np.testing.assert_array_equal(
            explorer.inputs[at["panel"]].ravel()[1:], before.ravel()[1:]
        )
    assert len(answers) == 100 * len(editable)


@pytest.mark.parametrize(("name", "label"), TEXTS)
def test_a_text_control_shows_any_text_or_refuses_it_in_one_line(name, label):
    explorer = GALLERY[name].make(4)
    control = explorer.controls[label]
    first, numbers = control.value, explorer.text()
    for text in STRINGS if name in A_FEW else SOME:
        control.value = text
        if explorer.view.message:
            one_clear_line(explorer.view.message)
        sendable(explorer)
        explorer.text()
    control.value = first
    assert explorer.view.message == ""
    assert explorer.text() == numbers
