"""define and fill: what they show is the models', and nothing that is not shown."""

import random
from itertools import pairwise

import numpy as np
import pytest
import torch
from hugging_face import LEARNED

from course import explorers
from course.data.dictionary import is_shown, not_shown, prompt, sample
from course.explorers.language.define import ACROSS, FEW, Piece, laid_out
from course.explorers.language.fill import OFFERED, OWN
from course.models.definitions import dictionary_writer, guesses, words_of
from transformer_lib import (
    DecoderOnlyTransformer,
    Sampling,
    TransformerConfig,
)
from transformer_lib.text.subwords import LETTERS, BytePairs

WORD = "moonling"


def drawing(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


def written(explorer):
    """The pieces of the definition that the tiles show."""
    faces = [below for _, below in drawing(explorer, "text").faces]
    return faces[faces.index("⟨MEANS⟩") + 1 :]


def shown_by(explorer):
    """All that it says, apart from the names of its controls."""
    tiles = [*drawing(explorer, "text").sayings]
    others = [
        explorer.text(),
        explorer.numbers(),
        explorer.alt(),
        explorer.view.message,
    ]
    return " · ".join([*others, *tiles])


@pytest.mark.parametrize("settings", [{}, {"temperature": 0.8, "seed": 5}])
def test_the_definition_is_that_of_the_model(settings):
    explorer = explorers.define(WORD, **settings)
    writer = dictionary_writer()
    sampling = Sampling(temperature=0.8) if settings else None
    ids = writer.write(prompt(WORD), (), sampling, settings.get("seed", 0))
    texts = [writer.pieces.texts[n].strip() for n in ids[len(prompt(WORD)) :]]
    assert written(explorer) == texts
    said = writer.pieces.says(ids[len(prompt(WORD)) :]).strip()
    assert drawing(explorer, "text").note == f"{WORD}: {said}"


@pytest.mark.parametrize("settings", [{}, {"top_k": 5}, {"top_p": 0.5}])
def test_the_bars_are_the_most_likely_pieces_and_what_is_drawn_from(settings):
    explorer = explorers.define(WORD, temperature=1.5, step=2, **settings)
    writer = dictionary_writer()
    sampling = Sampling(temperature=1.5, **settings)
    made = writer.compose(prompt(WORD), (), sampling, 0)
    log_p = made.log_p[1].double()
    bars = drawing(explorer, "next")
    _, values = bars.chooses
    for value, row in zip(values[:-1], explorer.values["next"], strict=False):
        token = writer.pieces.read(value)[-1]
        both = [log_p.exp()[token], sampling.probabilities(log_p)[token]]
        np.testing.assert_allclose(row, both, atol=1e-6)
    np.testing.assert_allclose(explorer.values["next"].sum(0), 1, atol=1e-6)
    [taken] = [n for n, label in enumerate(bars.labels) if label.endswith(" ✓")]
    assert writer.pieces.read(values[taken])[-1] == made.ids[made.begun + 1]


@pytest.mark.parametrize(("layer", "head"), [(1, "1"), (4, "mean"), (2, "5")])
def test_the_shades_are_where_the_newest_piece_looks(layer, head):
    explorer = explorers.define("glassware", step=3, layer=layer, head=head)
    writer = dictionary_writer()
    given = prompt("glassware")
    made = writer.compose(given)
    weights = made.weights[layer - 1]
    each = weights.mean(0) if head == "mean" else weights[int(head) - 1]
    row = each[len(given) + 1, : len(given) + 2].numpy()
    groups = writer.pieces.apart(given)
    ends = np.cumsum([len(group) for group in groups])
    sums = [*(part.sum() for part in np.split(row[: len(given)], ends[:-1]))]
    sums += [*row[len(given) :]]
    shades = explorer.values["text"][:, 2]
    np.testing.assert_allclose(shades[: len(sums)], 20 * np.array(sums), atol=0.51)
    assert not shades[len(sums) :].any()
    assert sum(sums) == pytest.approx(1, abs=1e-5)


def test_a_sign_is_explained_where_it_is_in_view():
    explorer = explorers.define(WORD)
    seen = set()
    for step in range(1, 8):
        explorer.controls["step"].value = step
        bars = drawing(explorer, "next")
        inside = any(label.startswith("…") for label in bars.labels)
        assert ("… goes on" in bars.note) == inside
        seen.add(inside)
    assert seen == {False, True}


def test_a_click_on_a_bar_goes_on_from_that_piece():
    explorer = explorers.define(WORD, step=2)
    before = written(explorer)
    control, values = drawing(explorer, "next").chooses
    assert control == "begins"
    explorer.choose("next", 1)
    assert explorer.settings["begins"] == values[1]
    assert explorer.settings["step"] == 2
    assert written(explorer)[0] == before[0]
    assert written(explorer)[1] != before[1]
    assert "yours" in drawing(explorer, "next").note
    with pytest.raises(IndexError):
        explorer.choose("next", len(values) - 1)  # all others together


def test_a_click_on_a_piece_goes_to_its_step_and_a_prompt_has_none():
    explorer = explorers.define(WORD)
    faces = [below for _, below in drawing(explorer, "text").faces]
    first = faces.index("⟨MEANS⟩") + 1
    explorer.choose("text", first + 2)
    assert explorer.settings["step"] == 3
    with pytest.raises(IndexError):
        explorer.choose("text", 0)


def test_another_word_begins_anew_and_another_step_does_not():
    explorer = explorers.define(WORD, begins="a small")
    explorer.go(1)
    explorer.controls["temperature"].value = 0.5
    assert explorer.settings["begins"] == "a small"
    explorer.controls["word"].value = "zorbium"
    assert explorer.settings["begins"] == ""


def test_at_temperature_0_there_is_nothing_to_draw_and_nothing_to_set():
    explorer = explorers.define(WORD)
    names = ("top_k", "top_p", "seed")
    assert {explorer.controls[n].layout.display for n in names} == {"none"}
    assert explorer.values["next"].shape[1] == 1
    explorer.controls["temperature"].value = 0.5
    assert {explorer.controls[n].layout.display for n in names} == {None}
    assert explorer.values["next"].shape[1] == 2


def test_the_pieces_of_a_word_touch_and_words_do_not():
    texts = ["⟨SOS⟩", " gl", "orp", "⟨MEANS⟩", " a", " vein", "let"]
    pieces = [Piece(text, [], n) for n, text in enumerate(texts)]
    wide = [len(piece.face) + 0.5 for piece in pieces]
    places = laid_out(pieces, wide)
    gaps = [
        round(places[n + 1][0] - places[n][0] - wide[n], 6)
        for n in range(len(wide) - 1)
    ]
    assert [gap == 0 for gap in gaps] == [False, True, False, False, False, True]
    assert {line for _, line in places} == {0}
    assert max(x for x, _ in laid_out(pieces * 9, wide * 9)) < ACROSS


def test_lines_are_counted_and_a_word_that_is_longer_than_one_is_broken():
    pieces = [Piece(" a", [], 0), *(Piece("x" * 9, [], n) for n in range(1, 20))]
    places = laid_out(pieces, [9.5] * len(pieces))
    assert places[0] == (0, 0)
    for (x, line), (after, below) in pairwise(places):
        assert (after, below) in {(x + 9.5, line), (0, line + 1)}
        assert after + 9.5 <= ACROSS
    pieces = [Piece(" a", [], n) for n in range(20)]
    lines = [line for _, line in laid_out(pieces, [9.5] * len(pieces))]
    assert [*dict.fromkeys(lines)] == [*range(lines[-1] + 1)]


def test_there_are_as_many_steps_as_pieces_that_are_written():
    ids = dictionary_writer().write(prompt(WORD), (), None, 0)
    explorer = explorers.define(WORD)
    assert explorer.controls["step"].max == len(ids) - len(prompt(WORD))


def test_a_beginning_may_be_as_long_as_the_prompt_leaves_room_for_one_more_piece():
    room = dictionary_writer().longest - len(prompt(WORD)) - 1
    with pytest.raises(ValueError, match=f"begins must be at most {room} pieces"):
        explorers.define(WORD, begins="z" * 200)


def test_only_some_numbers_of_pieces_are_offered_to_top_k():
    options = explorers.define(WORD).controls["top_k"].options
    assert [*options] == ["all", *map(str, FEW)]


@pytest.mark.parametrize(
    ("call", "naming"),
    [
        ({"word": ""}, "word must hold a character that is no space, got ''"),
        ({"word": "a" * 31}, "word must hold at most 30 characters, got 31"),
        (
            {"word": "café"},
            "word must hold what an English keyboard writes",
        ),
        ({"part_of_speech": "pronoun"}, "part_of_speech must be one of"),
        ({"temperature": 2.5}, "temperature must"),
        ({"top_k": 4}, "top_k must be None or one of"),
        ({"layer": 5}, "layer must be 1 to 4, got 5"),
        ({"head": "6"}, "head must be one of"),
        ({"begins": "xxxxxx " * 39}, "begins must hold at most 240 characters"),
        ({"begins": "z" * 100}, r"begins must be at most \d+ pieces, got"),
        ({"begins": "été"}, "begins must hold what this course shows"),
        ({"model": 3}, "model must be a DecoderOnlyTransformer"),
    ],
)
def test_what_cannot_be_defined_is_refused(call, naming):
    with pytest.raises((TypeError, ValueError), match=naming):
        explorers.define(**call)


# ── a model of the reader's ──────────────────────────────────────────────────


def a_gpt_2():
    """A model with the blocks of GPT-2 and bytes for tokens."""
    words = [*LETTERS.values(), "Ġt", "Ġth", "<|endoftext|>"]
    merges = [("Ġ", "t"), ("Ġt", "h")]
    tokenizer = BytePairs(words, merges, {"<|endoftext|>": False})
    sizes = {"d_model": 16, "n_heads": 2, "n_decoder_layers": 2, "d_ff": 32}
    sizes |= {"max_length": 64, "positions": "learned", "norm_first": True}
    config = TransformerConfig(vocabulary_size=len(words), **sizes)
    torch.manual_seed(0)
    return DecoderOnlyTransformer(config).eval(), tokenizer


def test_another_model_goes_on_from_a_text():
    model, tokenizer = a_gpt_2()
    text = LEARNED[0][:14]
    explorer = explorers.define(text, model=model, tokenizer=tokenizer)
    assert "part_of_speech" not in explorer.controls
    faces = [below for _, below in drawing(explorer, "text").faces]
    first = len(tokenizer.encode(text))
    with torch.no_grad():
        logits = model(torch.tensor([tokenizer.encode(text)]))[0, -1]
    fits = dictionary_like(tokenizer)
    best = int(logits.masked_fill(~fits, -torch.inf).argmax())
    assert faces[first] == (tokenizer.decode([best]).strip() or "␣")
    explorer.choose("next", 1)
    assert not explorer.view.message
    explorer.controls["word"].value = "the"
    assert not explorer.view.message


def dictionary_like(tokenizer):
    texts = [tokenizer.decode([n]) for n in range(len(tokenizer.vocabulary))]
    fits = [t.isascii() and t.isprintable() and t != "|" for t in texts]
    return torch.tensor(fits)


def test_a_text_that_is_not_shown_is_no_beginning_for_another_model():
    model, tokenizer = a_gpt_2()
    explorer = explorers.define("the cat", model=model, tokenizer=tokenizer)
    line = next(line for line in not_shown() if line.isalpha())
    explorer.controls["word"].value = f"the {line}"
    assert explorer.view.message.startswith("This course does not go on from that text")


def test_a_model_needs_its_tokenizer():
    model, tokenizer = a_gpt_2()
    with pytest.raises(TypeError, match="tokenizer must be a BytePairs"):
        explorers.define("the", model=model)
    with pytest.raises(TypeError, match="model must be a DecoderOnlyTransformer"):
        explorers.define("the", tokenizer=tokenizer)


# ── fill ─────────────────────────────────────────────────────────────────────


def test_the_guesses_are_shown_and_the_hidden_word_is_not():
    explorer = explorers.fill("lark", hidden=5)
    [entry] = [e for e in sample().held_out if "lark" in e.words]
    words = words_of(entry.definition)
    found = guesses(prompt("lark"), words, 4)
    said = dictionary_writer().pieces.texts
    for name, p in (("both", found.both), ("left", found.left)):
        labels = drawing(explorer, name).labels
        assert sum(label.endswith(" ✓") for label in labels) == 1
        first = int(p.argmax())
        assert labels[0].removesuffix(" ✓").removeprefix("…") == said[first].strip()
        assert explorer.values[name][0, 0] == pytest.approx(float(p[first]), abs=1e-6)
        assert explorer.values[name].sum() == pytest.approx(1, abs=1e-5)
    faces = [below for _, below in drawing(explorer, "text").faces]
    assert faces[4] == "⟨MASK⟩" * len(words[4])
    shades = explorer.values["text"][:, 2]
    assert shades[:4].all()
    assert not shades[4:].any()


def test_a_word_of_several_pieces_says_so():
    entry = next(e for e in sample().held_out if "lark" in e.words)
    counts = [len(word) for word in words_of(entry.definition)]
    assert {1, 2} <= {*counts}
    for hidden, count in enumerate(counts, start=1):
        told = drawing(explorers.fill("lark", hidden=hidden), "text").formula
        assert (f"it is {count} pieces" in told) == (count > 1)


def test_a_definition_of_ones_own_is_read_once_it_is_whole():
    assert not explorers.fill().controls["own"].continuous_update


def test_a_click_hides_a_word_and_a_shorter_definition_has_fewer():
    explorer = explorers.fill("samovar", hidden=18)
    explorer.choose("text", 1)
    assert explorer.settings["hidden"] == 2
    explorer.controls["hidden"].value = 18
    explorer.controls["entry"].value = "tax collector"
    assert explorer.settings["hidden"] == 7


def test_the_readers_own_definition_is_read_with_its_word_or_without():
    explorer = explorers.fill(OWN, own="dog: an animal that barks", hidden=4)
    assert drawing(explorer, "text").title == "dog (noun)"
    told = explorer.values["both"].copy()
    explorer.controls["own"].value = "an animal that barks"
    assert drawing(explorer, "text").title == "a definition"
    assert not np.array_equal(told, explorer.values["both"])
    assert explorer.controls["own"].layout.display is None
    explorer.controls["entry"].value = "lark"
    assert explorer.controls["own"].layout.display == "none"


def test_none_of_the_definitions_that_are_offered_was_learned():
    held_out = {word for entry in sample().held_out for word in entry.words}
    assert {*OFFERED} <= held_out


@pytest.mark.parametrize(
    ("call", "naming"),
    [
        ({"entry": "cat"}, "entry must be one of"),
        ({"hidden": 40}, "hidden must be 1 to"),
        ({"entry": OWN, "own": " "}, "own must hold a word of a definition"),
        ({"entry": OWN, "own": "a: "}, "own must hold a word of a definition"),
        ({"entry": OWN, "own": "a" * 161}, "own must hold at most 160 characters"),
        ({"entry": OWN, "own": "x y " * 40, "hidden": 1}, "own must be at most 72"),
        ({"entry": OWN, "own": "a café"}, "own must hold what an English keyboard"),
    ],
)
def test_what_cannot_be_filled_in_is_refused(call, naming):
    with pytest.raises(ValueError, match=naming):
        explorers.fill(**call)


# ── nothing is shown that the list holds ─────────────────────────────────────


def test_no_line_of_the_list_is_defined_and_no_refusal_repeats_it():
    explorer = explorers.define(WORD)
    filled = explorers.fill(OWN)
    before, other = explorer.text(), filled.text()
    for line in not_shown():
        word = line.replace("*", "ing" if len(line) < 20 else "")
        for typed in {line.rstrip("*"), word, word.upper(), f"a {word}"}:
            if is_shown(typed):
                continue  # "abort" alone, where only its longer forms are listed
            explorer.controls["word"].value = typed
            assert explorer.view.message.startswith("This course does not define that")
            assert is_shown(explorer.view.message)
            explorer.controls["begins"].value = typed
            assert is_shown(explorer.view.message)
            filled.controls["own"].value = f"one who sees {typed}"
            assert filled.view.message.startswith("This course does not show that")
            assert is_shown(filled.view.message)
            with explorer._held():
                explorer.controls["begins"].value = ""
    assert explorer.text() == before
    assert filled.text() == other


def test_nothing_that_the_list_holds_is_in_what_the_explorers_show():
    draw = random.Random(0)
    words = [e.words[0] for e in draw.sample(sample().held_out, 40)]
    explorer = explorers.define(WORD, temperature=1.2)
    for word in [*words, "assassinology", "cockatooling", "glassware", "assured"]:
        explorer.controls["word"].value = word[:30]
        explorer.controls["step"].value = draw.randint(1, 8)
        assert is_shown(shown_by(explorer)), word
    filled = explorers.fill()
    for entry in OFFERED:
        filled.controls["entry"].value = entry
        filled.controls["hidden"].value = draw.randint(1, 8)
        assert is_shown(shown_by(filled)), entry
