"""The quiz: what it takes, what it keeps at rest, and how it answers in a page."""

import json

import pytest
from nasty import nasty_strings
from playwright.sync_api import expect
from views.test_accessibility import objections

from course import explorers
from course.exercises import QUIZZES, Answer, Question

BEHIND = "A zero put in after the softmax gives its share to nobody."


def question(n, right=0):
    texts = "The row sums to less than 1", "It saves time", "It changes nothing"
    whys = BEHIND, "Every score is still computed.", "The hidden word took part."
    answers = [
        Answer(text, why, at == right)
        for at, (text, why) in enumerate(zip(texts, whys, strict=True))
    ]
    return Question(f"What is wrong with mask {n}, put in after?", tuple(answers))


QUESTIONS = [question(n, n % 3) for n in range(5)]
# What the notebook would hear, and what the kernel does: neither is to be asked.
ALONE = """() => {
    window.strayed = [];
    document.addEventListener("keydown", ({ key }) => window.strayed.push(key));
    window.kernel = () => { throw Error("nobody is there"); };
}"""


@pytest.fixture
def quiz(page):
    made = explorers.quiz(QUESTIONS)
    page.draw(made)
    yield made
    page.page.set_viewport_size({"width": 1280, "height": 2000})
    page.reload()


def radio(page, n, at):
    return page.find("fieldset").nth(n).get_by_role("radio").nth(at)


def verdict(page, n):
    return page.find(".tl-verdict").nth(n)


def score(page):
    return page.find(".tl-quiz-foot span").text_content()


# ── what it takes, and what it keeps ────────────────────────────────────────────
@pytest.mark.parametrize("name", [name for name, asked in QUIZZES.items() if asked])
def test_a_quiz_of_the_course_has_four_to_six_questions(name):
    assert 4 <= len(explorers.quiz(name).questions) <= 6


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ("nope", ValueError, "no quiz is called 'nope'; there are start, "),
        ([], ValueError, "1 to 12, got 0"),
        ([question(1)] * 13, ValueError, "1 to 12, got 13"),
        (5, TypeError, "list of Question, got 5"),
        (["why?"], TypeError, r"list of Question, got \['why\?'\]"),
        ([Question(5, QUESTIONS[0].answers)], TypeError, "are texts, got 5"),
        ([Question("\ud800", QUESTIONS[0].answers)], ValueError, "no lone surrogate"),
        ([Question("x" * 2001, QUESTIONS[0].answers)], ValueError, "got 2001: 'xxx"),
    ],
)
def test_what_is_no_quiz_is_refused_in_words(given, error, said):
    with pytest.raises(error, match=said):
        explorers.quiz(given)


def test_at_rest_it_asks_and_tells_nothing():
    made = explorers.quiz(QUESTIONS)
    data, about = made._repr_mimebundle_()
    assert data["text/plain"].startswith(
        "1. What is wrong with mask 0, put in after?\n"
    )
    assert data["text/plain"].count("○ It saves time") == 5
    kept = json.dumps([data["text/plain"], about])
    assert not any(a.feedback in kept for q in QUESTIONS for a in q.answers)
    assert made.picture().get_size_inches()[1] * 100 <= 1000


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_texts_of_any_kind_are_drawn_at_rest_and_shown_as_text_in_the_page(page):
    fit = [s for s in nasty_strings(100) if len(s) <= 2000]
    fit = [s for s in fit if not any("\ud800" <= c <= "\udfff" for c in s)]
    for start in range(0, len(fit) - 12, 12):
        four = [fit[start + 3 * n : start + 3 * n + 3] for n in range(4)]
        whys = [
            tuple(Answer(s, s, s == t[0]) for s in t) for t in four if len({*t}) == 3
        ]
        made = explorers.quiz([Question(w[0].text, w) for w in whys])
        made.picture().savefig("/dev/null", format="png", dpi=20)
        page.draw(made)
        for field in page.find("fieldset").all():
            field.get_by_role("radio").last.check()
        shown = page.find("label bdi").all_text_contents()
        assert shown == [a.text for answers in whys for a in answers]
        assert page.page.locator("img, script, bdi *, [onload], [onfocus]").count() == 0


# ── in the page ─────────────────────────────────────────────────────────────────
def test_an_answer_is_judged_at_once_and_only_the_first_try_counts(quiz, page):
    assert score(page) == "0 of 5 right at the first try · 5 still to answer"
    radio(page, 0, 1).check()
    expect(verdict(page, 0)).to_have_text(
        "✗ Not this one. Every score is still computed."
    )
    radio(page, 0, 0).check()
    expect(verdict(page, 0)).to_have_text(f"✓ Right. {BEHIND}")
    assert verdict(page, 0).get_attribute("role") == "status"
    radio(page, 1, 1).check()
    assert score(page) == "1 of 5 right at the first try · 3 still to answer"
    for n in range(2, 5):
        radio(page, n, n % 3).check()
    assert score(page) == "4 of 5 right at the first try"
    page.page.get_by_role("button", name="Start again").click()
    assert score(page) == "0 of 5 right at the first try · 5 still to answer"
    assert "".join(page.texts(".tl-verdict")) == ""
    assert page.page.locator(":checked").count() == 0


def test_the_keyboard_alone_answers_and_passing_an_answer_is_not_choosing_it(
    quiz, page
):
    page.page.evaluate(ALONE)
    page.page.get_by_role("button", name="Larger pictures").focus()
    page.press("Tab")
    expect(radio(page, 0, 0)).to_be_focused()
    page.press("ArrowDown", "End", "ArrowUp")
    expect(radio(page, 0, 1)).to_be_focused()
    assert page.page.locator(":checked").count() == 0
    page.press("Space")
    expect(verdict(page, 0)).to_contain_text("✗")
    page.press("ArrowUp", "Enter")
    expect(verdict(page, 0)).to_contain_text("✓")
    page.press("Tab")
    expect(radio(page, 1, 0)).to_be_focused()
    page.press("x", "d", "0")
    assert page.page.evaluate("window.strayed.filter(key => key !== 'Tab')") == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_objects_to_nothing_in_a_quiz(dark, quiz, page):
    page.theme(dark)
    assert objections(page) == []
    radio(page, 0, 0).check()
    radio(page, 1, 0).check()
    assert objections(page) == []


def test_five_questions_fit_a_screen_with_letters_that_can_be_read(quiz, page):
    page.page.set_viewport_size({"width": 1280, "height": 900})
    for n in range(5):
        radio(page, n, 0).check()
    page.lay_out()
    box = page.find(".tl-explorer").bounding_box()
    assert box["width"] <= 1280
    assert box["height"] <= 900
    sizes = page.find(".tl-quiz *").evaluate_all(
        "all => all.map(node => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert min(sizes) >= 13
