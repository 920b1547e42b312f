"""The model of the course that says what "it" stands for, and why it says so."""

import torch

from course.data.coreference import found_in, held_out_sentences, in_ids
from course.models import coreference

HELD_OUT = held_out_sentences()
HAPPY = found_in("The cat sat on the mat, and it was happy.")
SOFT = found_in("The cat sat on the mat, and it was soft.")


def test_it_knows_what_it_stands_for_in_new_sentences():
    assert coreference.score(coreference.trained(), HELD_OUT) >= 0.98
    assert coreference.answers(coreference.trained(), [HAPPY, SOFT]) == ["cat", "mat"]


def test_in_the_courses_sentence_it_looks_at_the_cat_or_at_the_mat():
    for sentence in (HAPPY, SOFT):
        words, weights = coreference.attention_weights(coreference.trained(), sentence)
        assert words == sentence.words
        assert weights[sentence.it].argmax() == sentence.antecedent


def test_the_look_at_what_it_stands_for_is_what_decides():
    """Over all new sentences. Of the other looks only that at the last word counts."""
    model = coreference.trained()
    with coreference.cut(model, HELD_OUT, coreference.meant):
        assert coreference.score(model, HELD_OUT) < 0.2
    assert coreference.changed(model, HELD_OUT, coreference.meant) > 0.85
    others = {
        "the other noun": coreference.other,
        "the first word": lambda s: 0,
        "the comma": lambda s: s.it - 2,
        "and": lambda s: s.it - 1,
        "was": lambda s: s.it + 1,
    }
    moved = {n: coreference.changed(model, HELD_OUT, end) for n, end in others.items()}
    assert max(moved.values()) < 0.05, moved


def test_an_edge_that_is_cut_has_no_weight_and_the_others_share_it():
    model = coreference.trained()
    before = coreference.attention_weights(model, HAPPY, block=0)[1]
    with coreference.cut(model, [HAPPY], coreference.meant):
        _, weights = coreference.attention_weights(model, HAPPY, block=0)
    it, cat = HAPPY.it, HAPPY.antecedent
    assert weights[it, cat] == 0
    kept = torch.arange(len(weights)) != cat
    expected = before[it, kept] / before[it, kept].sum()
    assert torch.allclose(weights[it, kept], expected, atol=1e-6)
    others = torch.arange(len(weights)) != it
    assert torch.equal(weights[others], before[others])


def test_other_words_see_themselves_alone_and_padding_is_seen_by_none():
    ids, its, _ = in_ids([HAPPY, *HELD_OUT[:20]])
    mask = coreference.only_it_looks(ids, its)[:, 0]
    for row, it, own in zip(ids, its, mask, strict=True):
        words = int((row != 0).sum())
        assert own[it].tolist() == [n < words for n in range(len(row))]
        others = torch.arange(len(row)) != it
        assert torch.equal(own[others], torch.eye(len(row), dtype=torch.bool)[others])


def test_what_stands_beside_a_sentence_in_a_batch_changes_nothing():
    model = coreference.trained()
    alone = [coreference.answers(model, [sentence])[0] for sentence in HELD_OUT[:20]]
    assert coreference.answers(model, HELD_OUT[:20]) == alone
