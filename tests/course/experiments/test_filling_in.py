"""Filling in masked tokens: who is asked what, and what tables count."""

from itertools import chain, pairwise

import numpy as np
import pytest
import torch

from course.data.dictionary import Entry, in_ids, sample, tokenizer
from course.experiments import filling_in
from course.experiments.filling_in import Table
from course.models import dictionary
from course.models.dictionary import BERT, GPT, LEFT, Texts
from transformer_lib.model.transformer import DecoderOnlyTransformer
from transformer_lib.training import seeded

MEANINGS = ["a bird that sings", "a bird that flies", "a fish that sings", "a bird"]


def texts_of(*definitions):
    ids = [in_ids(Entry(("owl",), "noun", "animal", d)) for d in definitions]
    ends = torch.tensor([0, *np.cumsum([*map(len, ids)])])
    return Texts(torch.tensor([*chain(*ids)]), ends)


@pytest.fixture
def few(monkeypatch):
    """Let the tables learn four definitions, and ask about two others."""
    filling_in.table.cache_clear()
    monkeypatch.setattr(filling_in, "learned", lambda: texts_of(*MEANINGS))
    yield
    filling_in.table.cache_clear()


def said(tables, text):
    return tokenizer().vocabulary.decode(filling_in.counted(tables, texts_of(text)))


def test_a_table_looks_where_its_name_says_and_then_at_less():
    first = {name: tables[0] for name, tables in filling_in.TABLES.items()}
    assert first == {
        "left neighbor": (-1,),
        "two on the left": (-2, -1),
        "both neighbors": (-1, 1),
        "two on each side": (-2, -1, 1, 2),
    }
    for tables in filling_in.TABLES.values():
        for more, less in pairwise(tables):
            assert {*less} < {*more}


def test_tables_say_what_stood_between_their_neighbors_most_often(few):
    assert said([(-1,)], "a fish") == ["Ġa", "Ġbird"]
    tokens = tokenizer().tokens(" a fish that flies")
    both = said([(-1, 1), (-1,)], "a fish that flies")
    assert len(both) == len(tokens)
    assert both[:3] == ["Ġa", "Ġbird", "Ġthat"]


def test_what_was_never_seen_together_is_looked_up_by_less(few):
    assert said([(-1, 1)], "a fish bird")[-1] == "Ġa"  # the most frequent token
    assert said([(-1, 1), (-1,)], "a fish bird")[-1] == "Ġthat"


def test_neighbors_are_of_the_same_text_and_words_are_not_counted(few):
    one, two = (
        filling_in.counted([(-2, -1, 1, 2), (-1,)], texts_of(*texts))
        for texts in (["a bird"], ["a bird that sings", "a bird"])
    )
    assert two[-2:].tolist() == one.tolist()
    ids, places = filling_in.laid_out(texts_of("a bird", "a fish that sings"))
    words = tokenizer().decode(ids[places])
    assert words == " a bird a fish that sings"


def test_a_table_counts_as_a_loop_does():
    texts = texts_of(*[entry.definition for entry in sample().learned[:40]])
    table = Table(texts, (-1, 1))
    ids, places = filling_in.laid_out(texts)
    counts = {}
    for place in places:
        key = (ids[place - 1], ids[place + 1])
        tokens = counts.setdefault(key, {})
        tokens[ids[place]] = tokens.get(ids[place], 0) + 1
    best = [
        max(tokens, key=lambda token: (tokens[token], token))
        for place in places
        for tokens in [counts[ids[place - 1], ids[place + 1]]]
    ]
    assert table.say(ids, places).tolist() == best
    assert table.say(ids, places[:1] - 1).tolist() == [-1]  # ⟨MEANS⟩ was not counted


@pytest.fixture
def untrained(monkeypatch):
    """Let models with random weights answer, about three definitions."""
    models = {m.name: m.untrained(n) for n, m in enumerate((GPT, BERT, LEFT))}
    for seed, model in enumerate(models.values()):  # else all say what they read
        stack = (
            model.decoder
            if isinstance(model, DecoderOnlyTransformer)
            else model.encoder
        )
        with seeded(100 + seed), torch.no_grad():
            stack.norm.beta.normal_(std=4)
    monkeypatch.setattr(type(GPT), "trained", lambda small: models[small.name])
    monkeypatch.setattr(filling_in, "ASKED", 3)
    filling_in.asked.cache_clear()
    yield models
    filling_in.asked.cache_clear()


def test_all_are_asked_about_the_same_tokens(few, untrained):
    counts = set()
    for one in filling_in.EXPERIMENT.runs:
        row = filling_in.run(**one)
        counts.add(row["tokens"])
        assert 0 <= row["exactly"] <= 1
    assert len(counts) == 1
    definitions = [entry.definition for entry in sample().held_out[:3]]
    assert counts == {sum(len(tokenizer().tokens(f" {d}")) for d in definitions)}


@pytest.mark.parametrize(("who", "small"), [("BERT", BERT), ("left side alone", LEFT)])
def test_each_token_is_masked_once_for_the_model_that_is_asked(untrained, who, small):
    ids = filling_in.asked()[0]
    said = []
    for place in filling_in.places_of(ids):
        masked = ids.clone()
        masked[place] = dictionary.MASK_ID
        with torch.inference_mode():
            logits = dictionary.masked_logits(
                untrained[small.name], masked[None], right=who == "BERT"
            )
        said.append(int(logits[0, place].argmax()))
    assert filling_in.answers(who)[: len(said)].tolist() == said


def test_the_left_side_alone_and_the_gpt_see_neither_the_token_nor_what_follows(
    untrained,
):
    ids = filling_in.asked()[0]
    place = filling_in.places_of(ids)[2:3]
    other = torch.cat([ids[: place[0]], ids[place[0] :].flip(0)])
    assert other[place] != ids[place]
    for say in (filling_in.filled(right=False), filling_in.predicted()):
        assert say(ids, place).equal(say(other, place))


def test_a_token_starts_a_word_after_a_space():
    ids = tokenizer().encode(" glorpitis bird")
    starts = filling_in.starts_word(torch.tensor(ids)).tolist()
    assert starts[0]
    assert sum(starts) == 2
