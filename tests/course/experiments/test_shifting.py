"""A decoder with the shift and the mask, and without them."""

from functools import cache

import pytest
import torch

from course.data.jobs import HELD_OUT, PLAIN, VOCABULARY, draw_sentences, probabilities
from course.experiments import shifting
from course.models.decoder_variants import VARIANTS
from course.models.jobs import MODEL, finish

trained = cache(MODEL.trained)

PLAIN_START, TOLD_START = "Ajish works as an AI", "Ajish studied art and works as an AI"


def test_who_knows_the_true_probabilities_has_the_least_loss():
    draw = torch.Generator().manual_seed(0)
    drawn = [pair for _ in range(200) for pair in draw_sentences(draw)]
    losses = [
        -torch.tensor(probabilities(start)[job]).log() / 7 for start, job in drawn
    ]
    assert torch.stack(losses).mean() == pytest.approx(shifting.least_loss(), abs=0.002)


def test_many_sentences_are_written_as_one_is():
    starts = [*HELD_OUT[:3], *PLAIN[:2], HELD_OUT[-1]]
    texts = shifting.write(trained(), starts)
    assert texts == [finish(trained(), start) for start in starts]


@pytest.mark.parametrize(
    ("start", "text", "right"),
    [
        (TOLD_START, "Ajish works as an AI Designer", True),
        (TOLD_START, "Ajish works as an AI Engineer", True),
        (TOLD_START, "Ajish works as an AI Captain", False),
        (TOLD_START, "Ajish works as an AI", False),
        (TOLD_START, "Ajish works as an AI Designer Designer", False),
        (PLAIN_START, "Ajish works as an AI Designer", False),
        (PLAIN_START, "Mia works as an AI Engineer", False),
        (PLAIN_START, "", False),
    ],
)
def test_a_sentence_is_right_if_its_words_are_and_its_job_is_possible(
    start, text, right
):
    assert shifting.is_right(start, text) == right


@pytest.mark.parametrize(
    ("text", "again"), [("Noor Noor Noor", True), ("Noor", False), ("Noor is", False)]
)
def test_one_word_again_and_again_is_seen(text, again):
    assert shifting.repeats(text) == again


def test_a_model_that_says_what_it_reads_copies():
    read = []

    class Echo(torch.nn.Module):
        def __init__(self, to_the_right):
            super().__init__()
            self.to_the_right = to_the_right

        def forward(self, source, reads):
            read.extend(source)
            said = reads.roll(-1, 1) if self.to_the_right else reads
            return torch.nn.functional.one_hot(said, len(VOCABULARY)).float()

    for way, (shifted, _) in VARIANTS.items():
        assert shifting.copies(Echo(shifted), way) == 1
        assert shifting.copies(Echo(not shifted), way) == 0
    starts = {" ".join(VOCABULARY.decode(row)) for row in read}
    assert starts == {*HELD_OUT}


def test_what_the_kept_results_show():
    least = shifting.least_loss()
    for one in shifting.EXPERIMENT.results():
        honest = one["variant"] == "shift and mask"
        assert (one["loss"] > least) == honest
        assert one["exact_match"] == 1 if honest else one["exact_match"] < 0.2
        assert one["copies"] < 0.1 if honest else one["copies"] > 0.35
