"""What a CLIP learns of captions."""

import random
from statistics import mean

import torch

from course.data.captions import VOCABULARY, words_for
from course.data.shapes import COLORS, SHAPES
from course.data.two_shapes import captions, exchanged, mirrored, split
from course.experiments import matching
from course.models.clip import TOGETHER, matches


def draw(seed=0):
    return torch.Generator().manual_seed(seed)


def test_shuffled_captions_are_those_of_other_pictures():
    pictures, said = matches(draw())
    same, others = matching.shuffled(draw())
    assert same.equal(pictures)
    assert (others != said).any(1).all()
    assert sorted(others.tolist()) == sorted(said.tolist())


def test_nothing_new_is_learned_of_two_shapes(monkeypatch):
    drawn = []
    monkeypatch.setattr(matching, "of_two", lambda twos, _: drawn.append(twos))
    learned, _ = split()
    for hard in (False, True):
        matching.two_at_once(draw(), 90, hard=hard)
        assert len(drawn[-1]) == len({*drawn[-1]}) == 90
        assert {*drawn[-1]} <= {*learned}
    plain, hard = ({*twos} for twos in drawn)
    both = [two for two in hard if {exchanged(two), mirrored(two)} <= hard]
    assert len(both) >= 28
    assert not any({exchanged(two), mirrored(two)} <= plain for two in plain)


def test_who_reads_a_bag_of_words_sees_what_is_altered_and_nothing_else(monkeypatch):
    """Its vector of a caption counts the words of colors and shapes, in any order."""
    meant = [VOCABULARY.encode(words_for(w)) for w in (*COLORS, *SHAPES)]

    class Bag:
        def of_texts(self, ids):
            counts = [torch.isin(ids, torch.tensor(own)).sum(1) for own in meant]
            return torch.stack(counts, dim=1).double()

        of_pictures = of_texts

    def told(twos, _):
        ids = captions(twos, random.Random(0))
        return ids, ids

    monkeypatch.setattr(matching, "of_two", told)
    came = matching.preferred(Bag())
    assert came == {"altered": 1.0, "exchanged": 0.0, "mirrored": 0.0}


def test_what_the_kept_results_show():
    for one in matching.EXPERIMENT.results():
        if one["variant"] == "captions":
            assert min(one["caption"], one["picture"]) >= 0.96
        elif one["variant"] == "shuffled captions":
            assert max(one["caption"], one["picture"]) < 0.05
        else:
            assert one["altered"] > 0.95
            assert min(one["caption"], one["picture"]) > 0.5


def test_who_sees_colors_alone_finds_38_of_100_captions_as_the_quiz_says():
    """Of captions with the same two colors it takes any: one of them is right."""
    _, new = split()
    shares = []
    for seed in range(200):
        twos = random.Random(seed).sample(new, TOGETHER)
        colors = {frozenset([two.left_color, two.right_color]) for two in twos}
        shares.append(len(colors) / TOGETHER)
    assert round(mean(shares), 2) == 0.38
