"""Right and wrong definitions: judges, endings, spelling, and what is memorized."""

import pytest

from course.data.dictionary import Entry, sample
from course.experiments import wrong_definitions
from course.experiments.definitions import Written
from course.experiments.wrong_definitions import (
    Spelling,
    by_ending,
    common_ending,
)
from course.models.small_model import SmallModel

KNOWN = [
    Entry(("sculptor", "carver"), "noun", "person", "one who carves"),
    Entry(("doctor",), "noun", "person", "one who heals"),
    Entry(("motor",), "noun", "artifact", "a machine"),
    Entry(("sculpture",), "noun", "artifact", "a work of art"),
    Entry(("owl",), "noun", "animal", "a bird of the night"),
    Entry(("fowl",), "noun", "animal", "a bird"),
]


def slowly(a, b):
    """Levenshtein's distance by its definition."""
    if not a or not b:
        return len(a) + len(b)
    return min(
        slowly(a[1:], b) + 1,
        slowly(a, b[1:]) + 1,
        slowly(a[1:], b[1:]) + (a[0] != b[0]),
    )


def test_distances_are_what_their_definition_says():
    words = ["owl", "fowl", "bowls", "w", "low", "crowd"]
    for word in ("owl", "prowl", "a", "Cow"):
        far = Spelling(words).distances(word)
        assert far.tolist() == [slowly(word.lower(), other) for other in words]


def test_of_words_equally_near_the_longest_common_ending_decides():
    assert Spelling(["tab", "cat", "bat", "mat"]).nearest("fat") == 1  # the first
    assert Spelling(["fan", "rat"]).nearest("fat") == 1
    assert Spelling(["motor", "Sculptor"]).nearest("sculptors") == 1
    assert [common_ending("cat", x) for x in ("bat", "at", "cat", "dog", "")] == [
        2,
        2,
        3,
        0,
        0,
    ]


def test_endings_are_looked_up_from_the_longest():
    assert by_ending(["tractor", "vulture", "growl"], KNOWN) == [
        "person",  # "tor": two of three
        "artifact",
        "animal",
    ]
    assert by_ending(["br", "x"], KNOWN) == ["person", "person"]  # "r"; and all


def test_a_noun_has_the_kinds_of_all_its_meanings(monkeypatch):
    crane = [
        Entry(("Crane", "derrick"), "noun", "artifact", "a machine that lifts"),
        Entry(("crane",), "noun", "animal", "a tall bird"),
        Entry(("crane",), "verb", "", "stretch"),
    ]
    monkeypatch.setattr(wrong_definitions, "read", lambda: crane)
    wrong_definitions.kinds_of.cache_clear()
    said = ["animal", "animal", "artifact", ""]
    entries = [crane[0], crane[0]._replace(words=("derrick",)), crane[1], crane[1]]
    share = wrong_definitions.share_right(said, entries)
    wrong_definitions.kinds_of.cache_clear()
    assert share == pytest.approx(2 / 4)


@pytest.fixture
def small(monkeypatch):
    """Learn the sample's definitions, and ask about a few held-out nouns."""
    caches = [wrong_definitions.known, wrong_definitions.asked]
    caches += [wrong_definitions.kinds_of, wrong_definitions.neighbors]
    caches += [wrong_definitions.bert_judges, wrong_definitions.words_judge]
    for one in caches:
        one.cache_clear()
    few = sample()._replace(learned=sample().learned[:300])
    monkeypatch.setattr(wrong_definitions, "everything", lambda: few)
    monkeypatch.setattr(wrong_definitions, "read", lambda: [e for p in few for e in p])
    monkeypatch.setattr(wrong_definitions, "ASKED", 20)
    monkeypatch.setattr(wrong_definitions, "REMEMBERED", 4)
    monkeypatch.setattr(wrong_definitions, "STEPS", 2)
    monkeypatch.setattr(SmallModel, "trained", SmallModel.untrained)
    monkeypatch.setattr(
        wrong_definitions,
        "define",
        lambda model, entries, *_: [Written([], True)] * len(entries),
    )
    yield
    for one in caches:
        one.cache_clear()


def test_a_bag_of_words_judges_by_the_words_of_definitions(small):
    judge = wrong_definitions.words_judge()
    said = judge([entry.definition for entry in wrong_definitions.known()])
    kinds = [entry.kind for entry in wrong_definitions.known()]
    assert sum(a == b for a, b in zip(said, kinds, strict=True)) > 0.9 * len(kinds)


def test_each_row_is_of_shares_and_judges_are_judged_by_wordnets_own(small):
    rows = [wrong_definitions.run(**run) for run in wrong_definitions.EXPERIMENT.runs]
    assert all(0 <= x <= 1 for row in rows for x in row.values())
    none, *judged = rows
    assert [*none] == ["nearest word", "last three letters", "one kind"]
    for row in judged:
        assert {"WordNet", "all", "nearest word", "greedy"} < {*row}
    assert judged[1]["WordNet"] > judged[1]["greedy"]


def test_the_entry_of_a_nearest_word_has_a_word_that_is_nearest(small):
    words = [word for entry in wrong_definitions.known() for word in entry.words]
    spelling = Spelling(words)
    pairs = zip(wrong_definitions.asked(), wrong_definitions.neighbors(), strict=True)
    for asked, found in pairs:
        far = dict(zip(words, spelling.distances(asked.words[0]), strict=True))
        assert min(far[word] for word in found.words) == min(far.values())


def test_what_stands_in_the_training_text_is_memorized(small, monkeypatch):
    said = {entry.words[0]: entry.definition for entry in sample().learned[:300]}

    def define(model, entries):
        """Know the first word that was learned, and say its definition for all."""
        known = said.get(entries[0].words[0], "no")
        return [Written([1, 2], True)._replace(ids=known) for _ in entries]

    monkeypatch.setattr(Written, "text", property(lambda one: one.ids))
    monkeypatch.setattr(wrong_definitions, "define", define)
    row = wrong_definitions.memorized("learned")
    assert row["written"] == row["WordNet"] == 1
    assert row["own of the word"] == pytest.approx(1 / 4)
    assert row["tokens of others"] == 0
    row = wrong_definitions.memorized("held out")
    assert row["written"] == row["own of the word"] == 0
    assert row["tokens of others"] == 2
