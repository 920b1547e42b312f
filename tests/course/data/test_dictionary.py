from itertools import combinations, pairwise

import pytest

from course.data import dictionary
from course.data.dictionary import (
    EOS,
    KINDS,
    SIZE,
    Entry,
    Parts,
    by_kind,
    everything,
    in_ids,
    is_shown,
    learn_merges,
    merged,
    prompt,
    read,
    sample,
    split,
    tokenizer,
)

LINE = (
    "00001740 18 n 02 night_owl 0 owl(p) 1 001 @ 00001930 n 0000 "
    '| a person who likes to be active late at night; "he is a night owl"; and more  '
)


def entries(*words: str) -> list[Entry]:
    return [Entry((word,), "noun", "act", f"what {word} means") for word in words]


def folder_with(tmp_path, *lines):
    for end in dictionary.FILES:
        text = "  1 The license.\n" + "".join(f"{line}\n" for line in lines)
        (tmp_path / f"data.{end}").write_text(text if end == "noun" else "")
    return tmp_path


def test_a_line_of_wordnet_is_read_up_to_its_first_example(tmp_path):
    [entry] = read(folder_with(tmp_path, LINE))
    meaning = "a person who likes to be active late at night"
    assert entry == (("night owl", "owl"), "noun", "person", meaning)


@pytest.mark.parametrize(
    "definition", ["a bird", "x" * 161, "a café in a town", "an obscene word"]
)
def test_a_definition_that_is_short_long_foreign_or_not_shown_is_left_out(
    tmp_path, definition
):
    assert read(folder_with(tmp_path, f"{LINE.split('|')[0]}| {definition}")) == []


def test_a_folder_without_wordnet_is_refused_with_the_cure(tmp_path):
    with pytest.raises(FileNotFoundError, match="wordnet-base"):
        read(tmp_path)


def test_no_entry_of_one_part_shares_a_word_with_another():
    words = [
        {word.lower() for entry in part for word in entry.words} for part in sample()
    ]
    assert all(a.isdisjoint(b) for a, b in combinations(words, 2))


def test_entries_that_share_a_word_with_held_out_ones_are_not_learned(monkeypatch):
    monkeypatch.setattr(dictionary, "HELD_OUT", 2)
    monkeypatch.setattr(dictionary, "VALIDATION", 2)
    all_entries = entries(*"ABCDabcd")
    parts = split(all_entries)
    held = {entry.words[0].lower() for entry in parts.held_out + parts.validation}
    assert not held & {entry.words[0].lower() for entry in parts.learned}
    assert split(all_entries) == parts


def test_the_sample_has_every_kind_and_part_of_speech():
    parts = sample()
    assert [*map(len, parts)] == [len(parts.learned), 400, 1000]
    assert {entry.kind for entry in parts.learned} == {*KINDS.values()}
    assert {entry.part_of_speech for entry in parts.held_out} == {
        *dictionary.PARTS_OF_SPEECH
    }


def test_nothing_in_the_sample_is_listed_as_not_shown():
    for part in sample():
        for entry in part:
            assert is_shown(" ; ".join([*entry.words, entry.definition])), entry


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a bird", True),
        ("the asses' milk", False),
        ("a class of passengers", True),
        ("FUCKING", False),
        ("an ethnic, slur", False),
        ("Virginia", True),
        ("a virgin forest", False),
        ("half-breeds", False),
        ("", True),
    ],
)
def test_listed_words_are_found_as_words_and_beginnings(text, shown):
    assert is_shown(text) == shown


def test_every_line_of_the_list_is_itself_not_shown():
    for line in dictionary.NOT_SHOWN.read_text().splitlines():
        if not line.startswith("#"):
            assert not is_shown(f"a {line.rstrip('*')} b"), line


def test_the_tokenizer_has_its_size_and_gives_every_text_back():
    tokens = tokenizer()
    assert len(tokens.vocabulary) == SIZE
    for entry in sample().held_out[:100]:
        ids = tokens.encode(f" {entry.definition}")
        assert tokens.decode(ids) == f" {entry.definition}"


def test_the_first_nouns_of_each_kind_are_taken_up_to_a_count():
    kinds = ["act", "", "act", "food", "act", "food", "plant"]
    some = [Entry((f"{n}",), "noun", kind, "") for n, kind in enumerate(kinds)]
    assert [entry.words[0] for entry in by_kind(some, 2)] == [*"02356"]


def test_an_entry_is_its_prompt_its_definition_and_an_end():
    entry = sample().held_out[0]
    ids = in_ids(entry)
    before = prompt(entry.words[0], entry.part_of_speech)
    assert ids[: len(before)] == before
    assert tokenizer().decode(ids[len(before) :]) == f" {entry.definition}{EOS}"


def test_an_unknown_part_of_speech_is_refused():
    with pytest.raises(ValueError, match=r"part_of_speech must be one of.*article"):
        prompt("the", "article")


def test_byte_pairs_are_those_that_counting_anew_after_each_merge_gives():
    texts = ["low low low low low", "lower lower", "newest " * 6, "widest " * 3]

    def slowly(words, count):
        found = []
        for _ in range(count):
            pairs = [p for w in words for p in pairwise(w)]
            best = min(pairs, key=lambda pair: (-pairs.count(pair), pair))
            words = [merged(w, best) for w in words]
            found.append(best)
        return found

    words = [[*f"Ġ{w}"] for t in texts for w in t.split()]
    assert learn_merges(texts, 8) == slowly(words, 8)


def test_pairs_are_merged_from_left_to_right():
    assert merged([*"aaa"], ("a", "a")) == ["aa", "a"]


@pytest.mark.skipif(
    not (dictionary.FOLDER / "data.noun").exists(), reason="needs all of WordNet"
)
def test_the_sample_is_what_the_command_writes():
    parts = everything()
    assert isinstance(parts, Parts)
    assert parts.held_out == sample().held_out
    assert parts.validation == sample().validation
