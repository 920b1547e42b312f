"""A linear layer on a model's vector: which vector, and what it learns."""

from collections import deque

import pytest
import torch
import torch.nn.functional as F

from course.data.dictionary import EOS, MEANS, SOS, sample, tokenizer
from course.models.classifier import (
    NAMES,
    Classifier,
    bag_of_words,
    batch,
    by_batch,
    evaluate,
    fit,
    hidden_states,
    labeled,
    pooled,
)
from course.models.dictionary import BERT, GPT, padded
from transformer_lib.runtime.recording import record

FEW = labeled(sample().learned[:12])
MODELS = {small.name: small.untrained() for small in (GPT, BERT)}


def test_a_labeled_text_is_a_definition_without_its_word():
    nouns = [entry for entry in sample().held_out[:30] if entry.kind]
    found = labeled(sample().held_out[:30])
    assert len(found.texts) == len(nouns)
    for entry, ids, kind in zip(nouns, *found, strict=True):
        text = f"{SOS}⟨noun⟩{MEANS} {entry.definition}{EOS}"
        assert tokenizer().decode(ids) == text
        assert NAMES[kind] == entry.kind


@pytest.mark.parametrize("name", MODELS)
def test_hidden_states_are_those_of_the_model_s_own_pass(name):
    model, ids = MODELS[name], FEW.texts[0][None]
    with record(model) as tensors:
        model(ids)
    stack = "decoder" if name == GPT.name else "encoder"
    assert torch.allclose(hidden_states(model, ids), tensors[stack], atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("pooling", ["first", "last", "mean"])
def test_padding_changes_no_vector(name, pooling):
    classifier = Classifier(MODELS[name], pooling)
    together = by_batch(classifier.vectors, FEW.texts, count=5)
    alone = [classifier.vectors(ids[None])[0] for ids in FEW.texts]
    assert torch.allclose(together, torch.stack(alone), atol=1e-5)


def test_one_vector_is_taken_for_each_text():
    ids = padded([torch.tensor([1, 7, 8]), torch.tensor([1, 9])])
    hidden = torch.arange(6.0).view(2, 3, 1)
    assert pooled(hidden, ids, "first").flatten().tolist() == [0, 3]
    assert pooled(hidden, ids, "last").flatten().tolist() == [2, 4]
    assert pooled(hidden, ids, "mean").flatten().tolist() == [1, 3.5]
    with pytest.raises(ValueError, match=r"pooling must be one of .*, got 'max'"):
        pooled(hidden, ids, "max")


def test_a_batch_is_of_different_examples_with_their_own_kinds():
    known = labeled(sample().learned[:150])
    kinds = {tuple(t.tolist()): int(k) for t, k in zip(*known, strict=True)}
    ids, asked = batch(known, torch.Generator().manual_seed(0))
    rows = [tuple(row[row != 0].tolist()) for row in ids]
    assert len({*rows}) == len(rows) == 32
    assert [kinds[row] for row in rows] == asked.tolist()
    few, _ = batch(FEW, torch.Generator().manual_seed(0))
    assert len(few) == len(FEW.texts)


def test_all_examples_are_drawn_in_the_end():
    known = labeled(sample().learned[:100])
    draw = torch.Generator().manual_seed(0)
    seen = {tuple(row.tolist()) for _ in range(40) for row in batch(known, draw)[0]}
    texts = {tuple(row[: int((torch.tensor(row) != 0).sum())]) for row in seen}
    assert len(texts) == len({tuple(text.tolist()) for text in known.texts})


@pytest.mark.parametrize("name", MODELS)
def test_what_is_learned_by_heart_is_known(name):
    pooling = "last" if name == GPT.name else "mean"
    small = GPT if name == GPT.name else BERT
    classifier = Classifier(small.untrained(), pooling)
    deque(fit(classifier, FEW, 25, 0.003), maxlen=0)
    found = evaluate(classifier, FEW)
    assert found["accuracy"] == 1
    with torch.no_grad():
        scores = torch.cat([classifier(ids[None]) for ids in FEW.texts])
        loss = F.cross_entropy(scores, FEW.kinds)
    assert found["loss"] == pytest.approx(float(loss), rel=1e-3)


def test_a_bag_of_words_sees_no_order():
    bag = bag_of_words(5.0).fit(["a bird that eats fish", "a machine"], ["x", "y"])
    assert bag.predict(["fish eats bird", "the machine"]).tolist() == ["x", "y"]
    one, other = bag.decision_function(["fish eats bird", "bird eats fish"])
    assert one == other
