"""The dictionary's GPT and BERT: what they read, are asked, and how they score."""

from math import log

import pytest
import torch

from course.data.dictionary import MEANS, PAD, SPECIAL, in_ids, sample
from course.experiments import n_grams
from course.models import dictionary
from course.models.dictionary import (
    BERT,
    DRAFT,
    GPT,
    LEFT,
    MASK_ID,
    NOTHING,
    batch,
    bits_per_character,
    hits,
    in_definition,
    masked_batch,
    masked_logits,
    next_token_loss,
    padded,
    without_word,
)
from transformer_lib.checkpoints import load_checkpoint

MEANS_ID, PAD_ID = SPECIAL.index(MEANS), SPECIAL.index(PAD)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(dictionary, "everything", sample)
    dictionary.learned.cache_clear()
    yield
    dictionary.learned.cache_clear()


def chance():
    return torch.Generator().manual_seed(0)


def test_a_batch_holds_learned_texts_and_little_padding():
    texts = {tuple(in_ids(e, w)) for e in sample().learned for w in range(len(e.words))}
    texts |= {tuple(without_word(torch.tensor(text)).tolist()) for text in texts}
    draw = chance()
    drawn = [batch(draw, 16) for _ in range(20)]
    for ids in drawn:
        for row in ids.tolist():
            assert tuple(i for i in row if i != PAD_ID) in texts
    padding = sum(int((ids == PAD_ID).sum()) for ids in drawn)
    assert padding < 0.2 * sum(ids.numel() for ids in drawn)


def test_a_text_in_twenty_is_read_without_its_word():
    draw = chance()
    rows = torch.cat([batch(draw, 64)[:, 2] for _ in range(40)])
    assert 0.03 < float((rows == MEANS_ID).float().mean()) < 0.07


def test_the_definition_is_what_follows_its_sign_up_to_the_end():
    entry = sample().held_out[0]
    text = torch.tensor(in_ids(entry))
    [found] = in_definition(padded([text, torch.cat([text, text])])[:1]).tolist()
    means = text.tolist().index(MEANS_ID)
    assert found == [n > means for n in range(len(text))] + [False] * len(text)


def test_the_loss_is_the_mean_cost_of_the_definition_alone():
    model = GPT.untrained()
    text = torch.tensor([in_ids(sample().held_out[0])])
    log_p = model(text[:, :-1]).log_softmax(-1)
    means = text[0].tolist().index(MEANS_ID)
    costs = [-log_p[0, n - 1, text[0, n]] for n in range(means + 1, text.size(1))]
    loss = next_token_loss(model, text)
    torch.testing.assert_close(loss, torch.stack(costs).mean())
    longer = torch.cat([text, torch.zeros(1, 3, dtype=torch.long)], 1)
    torch.testing.assert_close(next_token_loss(model, longer), loss)


def test_three_tenths_of_the_definition_are_asked_and_most_of_them_masked():
    draw, asked, chosen = chance(), 0, []
    for _ in range(40):
        read, targets = masked_batch(draw, 64)
        ids = read.where(targets == NOTHING, targets)
        at = targets != NOTHING
        assert not (at & ~in_definition(ids)).any()
        assert not (read == MASK_ID)[~at].any()
        asked += int(in_definition(ids).sum())
        chosen.append(torch.stack([read[at], targets[at]]))
    read, targets = torch.cat(chosen, 1)
    assert 0.29 < len(read) / asked < 0.31
    assert 0.78 < float((read == MASK_ID).float().mean()) < 0.82
    assert 0.08 < float((read == targets).float().mean()) < 0.12


def test_without_the_right_side_later_tokens_change_nothing():
    model = BERT.untrained()
    ids = torch.tensor([in_ids(sample().held_out[0])])
    other = ids.clone()
    other[:, -1] = 99
    for right in (True, False):
        a, b = (masked_logits(model, x, right=right)[:, :-1] for x in (ids, other))
        assert a.equal(b) != right


def test_bits_per_character_count_the_end_and_do_not_depend_on_the_batch():
    model = GPT.untrained()
    entries = sample().held_out[:3]
    each = [bits_per_character(model, [entry]) for entry in entries]
    sizes = [len(entry.definition) + 1 for entry in entries]
    whole = sum(b * n for b, n in zip(each, sizes, strict=True)) / sum(sizes)
    assert bits_per_character(model, entries) == pytest.approx(whole, rel=1e-5)
    tokens = int(in_definition(torch.tensor([in_ids(entries[0])])).sum())
    logits = torch.zeros(1)
    model.forward = lambda ids, *_: logits.expand(*ids.shape, 2048)
    uniform = tokens * log(2048) / log(2) / sizes[0]
    assert bits_per_character(model, entries[:1]) == pytest.approx(uniform, rel=1e-5)


def test_bits_per_character_count_every_definition_of_many():
    model, logits = GPT.untrained(), torch.zeros(1)
    model.forward = lambda ids, *_: logits.expand(*ids.shape, 2048)
    entries = sample().held_out[:120]
    definitions = [in_definition(torch.tensor([in_ids(e)])) for e in entries]
    tokens = sum(int(found.sum()) for found in definitions)
    characters = sum(len(entry.definition) + 1 for entry in entries)
    uniform = tokens * log(2048, 2) / characters
    assert bits_per_character(model, entries) == pytest.approx(uniform, rel=1e-5)


def kept(small):
    """The figure in a model's file; test_small_model.py measures the weights again."""
    _, made = load_checkpoint(small.path(), small.provenance(0))
    [figure] = made.figures.values()
    return figure


def test_the_kept_gpt_needs_less_than_the_best_n_gram_and_the_draft_more():
    best = min(min(row["bits"].values()) for row in n_grams.EXPERIMENT.results())
    assert kept(GPT) < 1.35 < best < kept(DRAFT) < 1.6


def test_both_sides_fill_in_more_than_one_even_by_a_model_that_learned_so():
    assert kept(BERT) > 0.6 > 0.35 > kept(LEFT) > 0.3
    entries = sample().held_out[:60]
    both, left = (hits(BERT.trained(), entries, right=right) for right in (True, False))
    assert both > 0.6 > 0.3 > left
