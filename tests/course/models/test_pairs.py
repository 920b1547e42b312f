"""What every model that learns pairs of texts has: a training, a score."""

import pytest
import torch

from course.data.pairs import Pairs
from course.data.sequences import EOS_ID, PAD_ID, SOS_ID, Sequences
from course.models.pairs import exact_match, pair_model, sizes, words_of, write
from course.models.small_model import Recipe

TASK = Sequences("copy")


def begun(seed=0, **recipe):
    made = Recipe(**{"steps": 3, "warmup": 1} | recipe)
    return pair_model(TASK, sizes(TASK), made).begin(seed)


def said(model, sources):
    """What a model says, as targets (B, 12)."""
    rows = [[SOS_ID, *TASK.vocabulary.encode(w)] for w in write(model, TASK, sources)]
    rows = [row + [EOS_ID] * (len(row) < 12) for row in rows]
    return torch.tensor([row + [PAD_ID] * (12 - len(row)) for row in rows])


def test_a_text_counts_as_right_when_all_of_it_and_its_end_are():
    model, _ = begun()
    sources = TASK.held_out(20).source
    targets = said(model, sources)
    assert exact_match(model, TASK, Pairs(sources, targets)) == 1
    wrong = targets.clone()
    wrong[3, 1] = wrong[3, 1] % 9 + 4
    assert exact_match(model, TASK, Pairs(sources, wrong)) == pytest.approx(19 / 20)
    cut = targets.clone()
    cut[3, 1:], cut[3, 1] = PAD_ID, EOS_ID
    assert exact_match(model, TASK, Pairs(sources, cut)) == pytest.approx(19 / 20)


def test_targets_may_be_narrower_than_what_is_written():
    model, _ = begun()
    pairs = TASK.held_out(20)
    assert exact_match(model, TASK, Pairs(pairs.source, pairs.target[:, :2])) == 0


def test_a_target_is_read_up_to_its_end():
    ids = TASK.held_out(1).target[0]
    words = words_of(TASK, ids)
    assert len(words) == int((ids != PAD_ID).sum()) - 2
    assert words_of(TASK, ids[: len(words)]) == words[:-1]


def test_a_training_follows_from_its_seed():
    first, losses = begun()
    second, others = begun()
    assert list(losses) == list(others)
    for one, two in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, two)
    assert list(begun(seed=1)[1]) != list(begun()[1])


def test_a_step_that_learns_nothing_of_padding_is_the_same_with_more_of_it():
    class Wider(Sequences):
        def batch(self, draw, count=64):
            source, target = super().batch(draw, count)
            wide = torch.nn.functional.pad
            more = 10 - source.size(1)
            return Pairs(wide(source, (0, more)), wide(target, (0, more)))

    recipe = Recipe(steps=2, batch_size=1, warmup=1)
    losses, wider = (
        list(pair_model(task, sizes(TASK), recipe).begin()[1])
        for task in (Sequences("copy"), Wider("copy"))
    )
    assert wider == pytest.approx(losses, rel=1e-5)
