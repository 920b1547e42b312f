"""Quizzes as text: what the reader takes, and what it refuses by file and line."""

import inspect
import pathlib
import re
import textwrap

import pytest
from nasty import nasty_strings

from course.exercises import QUIZZES, Answer, Question, gift

ROOT = pathlib.Path(__file__).parents[3]
FILES = sorted(pathlib.Path(gift.__file__).with_name("quizzes").glob("*.gift"))
SPECIAL = re.compile(r"[\\~=#{}:]")
GOOD = """

  // a comment

::sums 1::What is 2 + 2? {
~3
    # This answer counts the plus sign.
=4 # Two and two make four.
~22 # This answer joins the digits.
}
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        file = tmp_path / "sums.gift"
        file.write_text(text, "utf-8")
        return gift.read_quiz(file)

    return read


def as_gift(questions):
    """Write questions in GIFT format."""
    blocks = []
    for n, question in enumerate(questions):
        lines = [f"::question {n}::{escaped(question.text)} {{"]
        for answer in question.answers:
            mark = "=" if answer.right else "~"
            lines += [
                f"{mark}{escaped(answer.text)}",
                f"\t# {escaped(answer.feedback)}",
            ]
        blocks.append("\n".join([*lines, "}\n"]))
    return "\n".join(blocks)


def escaped(text):
    return SPECIAL.sub(r"\\\g<0>", text)


def by_moodles_rules(text):
    """Read questions as Moodle does: by cutting at the marks that have no escape."""
    hidden = re.sub(r"\\(.)", lambda found: chr(0xE000 + ord(found[1])), text)
    hidden = re.sub(r"^\s*//.*", " ", hidden, flags=re.MULTILINE)
    for block in re.split(r"\n\s*\n", hidden):
        if block.strip():
            _, name, rest = block.strip().split("::")
            asked, _, rest = rest.partition("{")
            inside, _, after = rest.partition("}")
            answers = [
                part for part in inside.replace("=", "~=").split("~") if part.strip()
            ]
            yield (
                shown(name),
                shown(asked),
                after,
                [
                    (part[0] == "=", *map(shown, part.removeprefix("=").split("#", 1)))
                    for part in answers
                ],
            )


def shown(text):
    return re.sub("[\ue000-\uf8ff]", lambda c: chr(ord(c[0]) - 0xE000), text).strip()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_moodle_reads_a_quiz_as_we_do_and_numbers_its_questions(file):
    name = file.stem.partition("_")[2]
    theirs = list(by_moodles_rules(file.read_text("utf-8")))
    ours = [
        (f"{name} {n}", q.text, "", [(a.right, a.text, a.feedback) for a in q.answers])
        for n, q in enumerate(QUIZZES[name], 1)
    ]
    assert theirs == ours


def test_each_notebook_has_its_quiz():
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert [quiz.name[:2] for quiz in FILES] == [book.name[:2] for book in notebooks]
    assert len(FILES) == len(QUIZZES)


def test_questions_survive_being_written_and_read_again(read):
    for questions in QUIZZES.values():
        assert read(as_gift(questions)) == questions


def test_any_text_of_one_line_survives_formulas_included(read):
    texts = [" ".join(text.split()) for text in nasty_strings(300)]
    texts = [t for t in texts if t.isprintable() and t and t[0] not in "[%"]
    texts += [r"$\frac{q_i \cdot k_j}{\sqrt{d_k}}$", r"a\\b \n ::c:: {~=#}", "// d"]
    questions = tuple(
        Question(text, tuple(Answer(text, text, right=n == 1) for n in range(3)))
        for text in texts
    )
    assert len(questions) > 50
    assert read(as_gift(questions)) == questions


def test_layout_does_not_matter(read):
    [question] = read(GOOD)
    assert question.text == "What is 2 + 2?"
    assert [answer.right for answer in question.answers] == [False, True, False]
    assert question.answers[0].feedback == "This answer counts the plus sign."
    assert read(re.sub(r"\n *(?=[=~#}])", " ", GOOD)) == (question,)
    assert read(GOOD.replace("\n", "\n\t").replace("\n\t\n", "\n \n")) == (question,)
    assert read("") == ()


def test_the_documentation_shows_what_can_be_read(read):
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    [example] = re.findall("^```gift\n(.+?)^```", guide, re.MULTILINE | re.DOTALL)
    assert len(read(example)) == 1
    _, example = inspect.cleandoc(gift.__doc__).split("\n\n    //")
    example, _ = example.split("\nThe name of a question")
    assert len(read(textwrap.dedent(f"    //{example}"))) == 1


PART = "expected =the right answer, ~a wrong one or }, got "


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("// a comment", "/ a comment", 3, "expected ::a name::a question {, got '/ a"),
        ("// a comment", "$CATEGORY: sums", 3, "a question {, got '$CATEGORY: sums'"),
        ("::sums 1::", "", 5, "expected ::a name::a question {, got 'What is 2"),
        ("::sums 1::", "::sums 1:", 5, "expected ::a name::a question {"),
        ("What is", "[html]What is", 5, "expected ::a name::a question {"),
        ("What is", "What:", 5, "expected ::a name::a question {"),
        ("What is", "What\nis", 5, "expected ::a name::a question {"),
        ("? {", "?", 5, "expected ::a name::a question {"),
        ("? {", "? {T}", 5, f"{PART}'T}}'"),
        ("? {", "? {\n\n", 6, f"{PART}''"),
        ("~3", "3", 6, f"{PART}'3'"),
        ("~3", "~%50%3", 6, f"{PART}'~%50%3'"),
        ("~3", "~3 -> 4 {", 6, "expected #feedback, got '{'"),
        ("~3", "~", 6, f"{PART}'~'"),
        (
            "# This answer counts",
            "This answer counts",
            7,
            "expected #feedback, got 'Th",
        ),
        ("counts the", "counts: the", 7, f"{PART}': the plus sign.'"),
        ("counts the", r"counts\n the", 7, rf"{PART}'\\n the plus sign.'"),
        ("make four.", "make four.\n#### All", 9, f"{PART}'#### All'"),
        ("=4 # Two and two make four.", "=4", 9, "expected #feedback, got '~22 # This"),
        ("=4", "~4", 5, "a question has 3 to 5 answers, one of them right"),
        ("~22", "=22", 5, "got 3 with 2 right: 'What is 2 + 2?'"),
        ("}\n", "", 10, f"{PART}''"),
        ("}\n", "} in all\n", 10, "expected } and a blank line, got '} in all'"),
        ("}\n", "}\n::sums 2::", 10, "expected } and a blank line, got '}'"),
    ],
)
def test_what_is_not_understood_is_refused_by_file_and_line(old, new, line, said, read):
    assert old in GOOD
    with pytest.raises(ValueError, match=f"^sums.gift, line {line}: ") as refused:
        read(GOOD.replace(old, new))
    assert said in str(refused.value)
