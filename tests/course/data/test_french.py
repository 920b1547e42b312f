"""English and French by one grammar: right French, and what of it is new."""

import random
from collections import Counter
from itertools import pairwise

import pytest
import torch

from course.data import french
from course.data.french import HELD_OUT_PAIRS, SPLIT, spoken, write
from course.data.french_sentences import (
    VOCABULARY,
    WRITTEN,
    French,
    held_out_sentences,
    in_ids,
    learned_sentences,
)

VOWELS = tuple("aeiouéêœAEIOU")
LEARNED = learned_sentences()
MANY = LEARNED[:4000]
ELIDED = {"le": "l'", "la": "l'", "je": "j'", "ne": "n'", "de": "d'"}


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("I love AI", "j' aime l' IA"),
        ("I do not love", "je n' aime pas"),
        ("you study math", "tu étudies les maths"),
        ("does not see a tree", "ne voit pas d' arbre"),
        ("sees a tree", "voit un arbre"),
        ("an old tree", "un vieil arbre"),
        ("the old trees", "les vieux arbres"),
        ("some big boats", "de grands bateaux"),
        ("some blue boats", "des bateaux bleus"),
        ("small black horse", "petit cheval noir"),
        ("the pretty girls are", "les jolies filles sont"),
        ("they help the school", "ils aident l' école"),
        ("is not happy", "n' est pas content"),
    ],
)
def test_what_is_known_to_be_right_is_what_is_written(english, french):
    told = [s for s in LEARNED if f" {english} " in f" {' '.join(s.english)} "]
    told = [s for s in told if ("not" in s.english) == ("not" in english.split())]
    assert told
    for sentence in told:
        assert french in " ".join(sentence.french)


def test_french_is_spoken_as_it_is_written():
    assert spoken(["j'", "aime", "l'", "IA"]) == "J'aime l'IA"
    assert spoken(["l'", "école", "n'", "est", "pas"]) == "L'école n'est pas"


def test_a_word_is_elided_before_a_vowel_and_nowhere_else():
    for sentence in MANY:
        for word, following in zip(sentence.french, sentence.french[1:], strict=False):
            starts = following.startswith(VOWELS)
            assert not (word in ELIDED and starts), sentence
            assert starts or not word.endswith("'"), sentence
        for word, following in pairwise(sentence.english):
            if word in ("a", "an"):
                assert (word == "an") == following.startswith(VOWELS)


def test_articles_and_adjectives_agree_with_their_noun():
    gender = {}
    for noun in french.NOUNS.values():
        gender[noun.un] = {noun.gender}
    for sentence in MANY:
        words = sentence.french
        for article, noun in pairwise(words):
            if noun in gender and article in ("le", "un", "la", "une"):
                assert ("f" in gender[noun]) == (article in ("la", "une"))
        if "contente" in words:
            women = {n.un for n in french.NOUNS.values() if n.gender == "f"}
            assert {*words} & {*women, "elle"}


def test_a_negation_stands_on_both_sides_of_the_verb():
    for sentence in MANY:
        negated = "not" in sentence.english
        assert ("pas" in sentence.french) == negated
        assert ("ne" in sentence.french or "n'" in sentence.french) == negated
        if negated:
            pas = sentence.french.index("pas")
            assert sentence.french[pas - 2] in ("ne", "n'")


def test_every_word_comes_from_somewhere_and_every_english_word_goes_somewhere():
    for sentence in MANY:
        assert len(sentence.comes_from) == len(sentence.french)
        assert all(sentence.comes_from)
        used = set().union(*sentence.comes_from)
        assert used == {*range(len(sentence.english))}


def test_words_cross_where_an_adjective_changes_sides_and_nowhere_else():
    for sentence in MANY:
        order = [min(places) for places in sentence.comes_from]
        behind = {*french.BEHIND} & {*sentence.english[:-1]}
        assert (order != sorted(order)) == bool(behind or "pas" in sentence.french)


def test_the_grammar_says_all_its_words_and_no_other():
    draw = random.Random(1)
    told = [write(draw) for _ in range(20_000)]
    words = {word for s in told for word in (*s.english, *s.french)}
    assert words == {*french.every_word()}
    longest = max(len(side) for s in told for side in (s.english, s.french))
    assert longest == French.max_length - 2


# ── what is new ───────────────────────────────────────────────────────────────────────
def test_no_pair_that_is_new_is_learned():
    assert len(LEARNED) == WRITTEN
    told = {pair for sentence in LEARNED for pair in sentence.pairs}
    assert not told & HELD_OUT_PAIRS
    for sentence in held_out_sentences():
        assert {*sentence.pairs} & HELD_OUT_PAIRS
    known = {tuple(sentence.english) for sentence in LEARNED}
    assert not known & {tuple(sentence.english) for sentence in held_out_sentences()}


def test_the_pairs_that_are_new_are_a_latin_square():
    """Of each noun and of each other word as many are, by one; and most are learned."""
    nouns = Counter(noun for noun, _ in HELD_OUT_PAIRS)
    others = Counter(other for _, other in HELD_OUT_PAIRS)
    assert nouns.keys() == french.NOUNS.keys()
    assert others.keys() == {*french.ADJECTIVES, *french.VERBS}
    assert max(others.values()) - min(others.values()) <= 1
    assert max(nouns.values()) - min(nouns.values()) <= 2
    told = {pair for sentence in LEARNED for pair in sentence.pairs}
    for other, held in others.items():
        assert sum(word == other for _, word in told) >= 2 * held


def test_every_form_is_learned_at_the_end_of_a_sentence_and_before_it():
    """Where one was learned at the end alone, a model ended every sentence with it."""

    def places(told):
        last = {s.french[-1] for s in told}
        return last, {word for s in told for word in s.french[:-1]}

    ends, before = places(LEARNED)
    new_ends, new_before = places(held_out_sentences(4000))
    assert new_ends <= ends
    assert new_before <= before


# ── in ids ────────────────────────────────────────────────────────────────────────────
def test_batches_are_drawn_from_what_is_learned():
    english, target = French().batch(torch.Generator().manual_seed(0), 200)
    known = {tuple(s.english): s.french for s in LEARNED}
    for source, words in zip(english, target, strict=True):
        read = [w for w in VOCABULARY.decode(source) if w != "⟨PAD⟩"]
        said = [w for w in VOCABULARY.decode(words) if w != "⟨PAD⟩"]
        assert said == ["⟨SOS⟩", *known[tuple(read)], "⟨EOS⟩"]
    assert (english != 0).any(0).all()
    assert (target != 0).any(0).all()


def test_held_out_pairs_are_the_held_out_sentences():
    pairs = French().held_out(20, seed=3)
    same = in_ids(held_out_sentences(20, seed=3))
    assert all(torch.equal(*two) for two in zip(pairs, same, strict=True))


def test_sentences_that_are_new_or_not_are_written_as_asked():
    for told, held_out in (
        (SPLIT.held_out(50), True),
        (SPLIT.learned(random.Random(2), 50), False),
    ):
        assert [bool({*s.pairs} & HELD_OUT_PAIRS) for s in told] == [held_out] * 50
