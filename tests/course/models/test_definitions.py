"""What the dictionary's models write is theirs, and holds nothing that is not shown."""

import random

import pytest
import torch
from small import build

from course.data.dictionary import (
    EOS,
    MEANS,
    PARTS_OF_SPEECH,
    SOS,
    is_shown,
    not_shown,
    pieces,
    prompt,
    sample,
    tokenizer,
    unfinished,
)
from course.models.definitions import (
    WEIGHTS,
    Writer,
    dictionary_writer,
    guesses,
    words_of,
)
from course.models.dictionary import BERT, LENGTH, MASK_ID, masked_logits
from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    Sampling,
    greedy,
    record,
)
from transformer_lib import sample as library_sample

GIVEN = prompt("glorpitis")
SETTINGS = [None, Sampling(temperature=0.7), Sampling(top_k=5), Sampling(top_p=0.9)]


@pytest.fixture(scope="module")
def writer():
    return dictionary_writer()


@pytest.fixture
def unbound(writer):
    """The same writer, which may write whatever there is."""
    free = Writer(writer.model, tokenizer(), EOS, LENGTH)
    free.pieces.after = lambda _: torch.ones(2048, dtype=torch.bool)
    return free


@pytest.mark.parametrize("sampling", SETTINGS)
@pytest.mark.parametrize("seed", [0, 7])
def test_without_the_list_it_writes_what_the_library_writes(unbound, sampling, seed):
    told = Decoding(max_length=LENGTH, end_id=unbound.end)
    ids = torch.tensor([GIVEN])
    chance = torch.Generator().manual_seed(seed)
    found = (
        greedy(unbound.model, ids, told)
        if sampling is None
        else library_sample(unbound.model, ids, told, sampling, chance)
    )
    said = unbound.write(GIVEN, sampling=sampling, seed=seed)
    assert said == found.ids[0].tolist()


@pytest.mark.parametrize("sampling", SETTINGS)
def test_a_text_goes_on_from_its_own_beginning_as_it_did(writer, sampling):
    whole = writer.write(GIVEN, sampling=sampling, seed=3)
    for n in range(len(GIVEN), len(whole)):
        begins = whole[len(GIVEN) : n]
        assert writer.write(GIVEN, begins, sampling, seed=3) == whole


def test_what_is_chosen_is_kept_and_what_follows_is_new(writer):
    first = writer.compose(GIVEN)
    other = int(first.log_p[2].topk(2).indices[1])
    begins = [*first.ids[first.begun : first.begun + 2], other]
    again = writer.compose(GIVEN, begins)
    assert again.ids[: again.begun + 3] == [*GIVEN, *begins]
    torch.testing.assert_close(again.log_p[:3], first.log_p[:3], atol=1e-4, rtol=0)


def test_it_ends_where_the_reader_ends_it(writer):
    begins = [*pieces("a small vein"), writer.end]
    assert writer.write(GIVEN, begins) == [*GIVEN, *begins]


def test_the_probabilities_are_the_models_without_what_is_not_shown(writer):
    made = writer.compose(GIVEN)
    with torch.no_grad(), record(writer.model) as tensors:
        logits = writer.model(torch.tensor([made.ids[:-1]]))[0, made.begun - 1 :]
    assert made.log_p.shape == (len(made.ids) - made.begun, 2048)
    for n, row in enumerate(logits):
        text = writer.pieces.says(made.ids[made.begun : made.begun + n])
        p = row.softmax(-1) * writer.pieces.after(text)
        torch.testing.assert_close(made.log_p[n].exp(), p / p.sum())
    for n, weights in enumerate(made.weights):
        torch.testing.assert_close(weights, tensors[WEIGHTS.format(n)][0])


def test_which_pieces_may_follow_is_what_the_list_says_of_each(writer):
    """A text is looked at by its end alone, and its end by a few pieces alone."""
    draw = random.Random(0)
    starts = [line[:n] for line in not_shown() for n in range(len(line.rstrip("*")))]
    starts = [text for text in starts if is_shown(text)]
    texts = writer.pieces.texts
    plain = [t.isascii() and t.isprintable() and "|" not in t for t in texts]
    for begun in ["", "a vein", *draw.sample(starts, 60)]:
        text = draw.choice(["", " the big", " the big ", " of, "]) + begun
        if not is_shown(text):
            continue
        expected = [
            plain[n] and is_shown(texts[n]) and is_shown(text + texts[n])
            for n in range(len(texts))
        ]
        expected[writer.end] = True
        assert writer.pieces.after(text).tolist() == expected, text


@pytest.mark.parametrize("text", ["", "a vein", "a vein ", "(of a vein)", "x - y"])
def test_most_texts_end_in_nothing_that_could_grow_into_what_is_not_shown(text):
    assert unfinished(f"{text} vein") == "0" == unfinished(f"{text}vein")
    assert unfinished(f"{text} ") == ""


def test_the_special_tokens_and_what_no_keyboard_writes_are_not_written(writer):
    fits = writer.pieces.after("")
    special = tokenizer().vocabulary.encode([SOS, MEANS])
    assert not fits[special].any()
    assert not any(fits[n] for n, t in enumerate(writer.pieces.texts) if "�" in t)
    assert fits[writer.end]
    assert fits.sum() > 1800


@pytest.mark.parametrize(
    "ids",
    [
        pieces("inflammation of the gums"),
        [*pieces("a vein"), 3],
        [*pieces("a vein"), *tokenizer().encode("s"), *tokenizer().encode("s")],
        tokenizer().encode("ing")[:1],
        [],
    ],
)
def test_what_is_spelled_is_read_back(writer, ids):
    assert writer.pieces.read(writer.pieces.spelled(ids) if ids else "") == [*ids]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("glass", ["glass"]),
        ("glassware", ["glass", "w", "are"]),
        ("assured", ["assur", "ed"]),
        ("moonling", ["m", "oon", "ling"]),
    ],
)
def test_a_piece_that_is_not_shown_alone_stands_with_its_neighbor(
    writer, word, expected
):
    said = writer.pieces.tokenizer.decode
    _, _, *groups, means = writer.pieces.apart(prompt(word))
    assert [said(group).strip() for group in groups] == expected
    assert said(means) == MEANS


def test_a_beginning_that_is_not_shown_is_refused(writer):
    line = next(line for line in not_shown() if line.isalpha())
    for begins in (pieces(line), [3, 3], tokenizer().vocabulary.encode([SOS])):
        with pytest.raises(ValueError, match="begins must hold what this"):
            writer.write(GIVEN, begins)


@pytest.mark.parametrize(
    ("change", "naming"),
    [
        ({"model": None}, "model must be"),
        ({"tokenizer": None}, "tokenizer must be"),
        ({"model": build(DecoderOnlyTransformer)}, "tokenizer must have the"),
        ({"end": "⟨nothing⟩"}, "end must be a token of the tokenizer"),
        ({"longest": LENGTH + 1}, f"longest must be 2 to {LENGTH}, as the model reads"),
    ],
)
def test_a_writer_of_parts_that_do_not_fit_is_refused(writer, change, naming):
    parts = {"model": writer.model, "tokenizer": tokenizer(), "end": EOS}
    with pytest.raises((TypeError, ValueError), match=naming):
        Writer(**{**parts, "longest": LENGTH, **change})


# ── what is hidden ───────────────────────────────────────────────────────────


def test_a_definition_is_split_into_words_and_marks(writer):
    said = writer.pieces.tokenizer.decode
    text = "a metal urn (of a base); used, e.g., for tea"
    words = words_of(text)
    assert said([token for word in words for token in word]) == f" {text}"
    assert [said(word).strip() for word in words[:8]] == [
        *("a", "metal", "urn", "(", "of", "a", "base"),
        ");",
    ]


def test_the_guesses_are_those_of_both_models_without_what_is_not_shown(writer):
    given, words = prompt("lark"), words_of("an animal that barks at night")
    found = guesses(given, words, 3)
    ids = [*given, *[t for word in words for t in word], writer.end]
    at = len(given) + sum(map(len, words[:3]))
    masked = torch.tensor([ids])
    masked[0, at : at + len(words[3])] = MASK_ID
    with torch.inference_mode():
        both = masked_logits(BERT.trained(), masked)[0, at].softmax(-1)
        left = writer.model(torch.tensor([ids[:at]]))[0, -1].softmax(-1)
    for said, p in ((found.both, both), (found.left, left)):
        assert said.sum() == pytest.approx(1, abs=1e-5)
        offered = said > 0
        torch.testing.assert_close(said[offered], p[offered] / p[offered].sum())
        for n in (~offered).nonzero()[:50, 0].tolist():
            text = writer.pieces.texts[n]
            unwritten = not (text.isascii() and text.isprintable()) or "|" in text
            assert unwritten or not is_shown(text) or n == writer.end
    assert found.taken == words[3][0]


def test_a_piece_is_not_offered_if_the_words_around_it_make_it_one_not_shown(writer):
    texts = writer.pieces.texts
    for line in not_shown():
        first, *rest = line.rstrip("*").split()
        if rest and f" {first}" in texts:
            token = texts.index(f" {first}")
            assert not writer.pieces.between("the", f" {' '.join(rest)} is")[token]
            assert writer.pieces.between("the", " vein is")[token]
            return
    pytest.fail("no phrase begins with a piece")


# ── the filter: every line of the list, held-out words, and invented ones ───

INVENTED = ["glor", "moon", "zib", "blor", "quack", "snor", "trans", "un", "fla", "wug"]
ENDINGS = ["pitis", "ling", "ology", "ness", "er", "less", "ism", "able", "ium", "fish"]


def typed_words():
    """A thousand words that may be typed: held-out and invented ones."""
    held_out = [e.words[0] for e in sample().held_out if len(e.words[0]) <= 30]
    invented = [a + b + c for a in INVENTED for b in INVENTED for c in ENDINGS]
    draw = random.Random(0)
    return [*draw.sample(held_out, 500), *draw.sample(invented, 500)]


@torch.inference_mode()
def test_nothing_that_is_not_shown_is_written_of_a_thousand_words(writer):
    """All words go side by side through one model, one piece of each at a time.

    The words are drawn at a high temperature, where the strangest pieces come.
    """
    words = typed_words()
    chance = torch.Generator().manual_seed(0)
    draw = random.Random(1)
    by_length = {}
    for word in words:
        given = prompt(word, draw.choice(PARTS_OF_SPEECH))
        by_length.setdefault(len(given), []).append(given)
    sampling = Sampling(temperature=1.5)
    refused = 0
    for rows in by_length.values():
        ids = torch.tensor(rows)
        for _ in range(12):
            logits = writer.model(ids)[:, -1]
            texts = [writer.pieces.says(row[len(rows[0]) :]) for row in ids.tolist()]
            fits = torch.stack([writer.pieces.after(text) for text in texts])
            refused += int((~fits).sum())
            p = sampling.probabilities(logits.masked_fill(~fits, -torch.inf))
            ids = torch.cat([ids, torch.multinomial(p, 1, generator=chance)], 1)
            for best in p.topk(7).indices.tolist():
                assert is_shown(" · ".join(writer.pieces.texts[n] for n in best))
        for row in ids.tolist():
            assert is_shown(writer.pieces.says(row[len(rows[0]) :]))
    assert refused
