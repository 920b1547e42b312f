"""All hundred nasty strings in a page: as words, typed into cells, as sentences."""

import pytest
from gallery import A_FEW, GALLERY, NAMED, TYPED
from gallery import SENTENCES as BY_NAME
from nasty import SOME, STRINGS
from views.page import account

# All of them in a few explorers, some of them in the others.
WORDS = [(name, STRINGS if name in A_FEW else SOME) for name in NAMED]
TEXTS = [(name, STRINGS if name == TYPED[0] else SOME) for name in TYPED]
SENTENCES = [(name, label) for name, labels in BY_NAME.items() for label in labels]
# Nodes that no view makes: a string would have become one of them.
MARKUP = "img, script, td td td, b b, [onload], [onerror], [onfocus]"

WIDE = ["WWW", "mmm", "MMM", "ǄǄ", "ŒŒ", "OOO"]
# Such nodes, and texts that are not cut but larger than their place.
AMISS = f"""() => [...document.querySelectorAll("{MARKUP}, .tl-whole")]
    .filter((node) => !node.matches(".tl-whole")
        || node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight)
    .map((node) => node.outerHTML)"""

# Focus a dozen cells, all over the page.
FOCUS = """cells => {
    const step = Math.max(1, Math.floor(cells.length / 12));
    for (let nth = 0; nth < cells.length; nth += step) cells[nth].focus();
}"""
# Type one text after another into the first cell; what is said of it, or null.
TYPE = """async (texts) => {
    const td = document.querySelector("td.tl-edit:not(.tl-turn)");
    const said = [];
    for (const text of texts) {
        const press = async (node, key) => {
            node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            await bare.settled();
        };
        await press(td, "Enter");
        const input = td.querySelector("input");
        input.value = text;
        await press(input, "Enter");
        const fault = td.querySelector(".tl-fault");
        const why = fault?.textContent;
        said.push(fault && [input.ariaInvalid, why, fault.children.length]);
        if (fault) await press(input, "Escape");
    }
    return said;
}"""


def accepted(name, words):
    """Those that an explorer takes as words: all of a handful, or by its halves."""
    try:
        GALLERY[name].make(len(words) + 1, repr([*words, "w"]))
    except (ValueError, TypeError):  # in a line: see tests/explorers/test_nasty_text.py
        half = len(words) // 2
        halves = (words[:half], words[half:]) if half else ()
        return [word for part in halves for word in accepted(name, part)]
    return words


def batches(words, size=12):
    """Lists of so many words each, the last one filled up."""
    for start in range(0, len(words), size):
        part = words[start : start + size]
        yield [*part, *(f"w{n}" for n in range(size - len(part)))]


def assert_only_text(page, explorer):
    shown = page.shown()
    assert shown == account(explorer)
    assert page.page.evaluate(AMISS) == []
    return shown


@pytest.fixture(autouse=True)
def no_dialog(page):
    opened = []

    def dismiss(dialog):
        opened.append(dialog.message)
        dialog.dismiss()

    page.page.on("dialog", dismiss)
    yield
    page.page.remove_listener("dialog", dismiss)
    assert not opened


@pytest.mark.parametrize(("name", "texts"), WORDS, ids=NAMED)
def test_any_word_is_shown_as_text_and_said_in_the_line_that_explains(
    name, texts, page
):
    handfuls = [texts[start : start + 11] for start in range(0, len(texts), 11)]
    words = [word for handful in handfuls for word in accepted(name, handful)]
    assert len(words) >= 0.8 * len(texts)
    for batch in batches(words):
        explorer = GALLERY[name].make(len(batch), repr(batch))
        page.draw(explorer)
        assert_only_text(page, explorer)
        page.find("td[role=gridcell]").evaluate_all(FOCUS)
        assert page.page.evaluate(AMISS) == []


@pytest.mark.parametrize("size", [3, 6])
@pytest.mark.parametrize("name", NAMED)
def test_a_short_word_fits_where_it_is_not_cut(name, size, page):
    explorer = GALLERY[name].make(size, repr(WIDE[:size]))
    page.draw(explorer)
    assert page.page.evaluate(AMISS) == []


@pytest.mark.parametrize(("name", "texts"), TEXTS, ids=TYPED)
def test_what_is_typed_into_a_cell_is_a_number_or_is_refused_beside_it(
    name, texts, page
):
    explorer = GALLERY[name].make(3)
    page.draw(explorer)
    answers = page.page.evaluate(TYPE, texts)
    for text, answer in zip(texts, answers, strict=True):
        if answer:  # refused; or else it was a number, and the editor is closed
            invalid, why, inside = answer
            assert (invalid, inside) == ("true", 0), text
            assert why.isprintable(), text
    assert len([*filter(None, answers)]) >= 0.8 * len(texts)
    assert_only_text(page, explorer)


@pytest.mark.parametrize(("name", "label"), SENTENCES)
def test_a_sentence_of_any_kind_is_shown_or_refused_in_one_line(name, label, page):
    explorer = GALLERY[name].make(3)
    page.draw(explorer)
    for text in STRINGS if name in A_FEW else SOME:
        explorer.controls[label].value = text
        assert "\n" not in assert_only_text(page, explorer)["why"]
