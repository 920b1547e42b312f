"""What is measured of written definitions: laws that hold for any model."""

import pytest
import torch

from course.data.dictionary import sample
from course.experiments import definitions
from course.experiments.definitions import DRAWS, EOS_ID, SEARCHES, Written, drawn
from course.models.dictionary import GPT, LENGTH, bits_per_character

BARE = GPT.untrained()  # has learned nothing, so that nothing is nearly sure
ENTRIES = sample().held_out[:6]


def test_repeated_n_grams_are_counted_by_hand():
    assert definitions.repeated([1, 2, 3, 1, 2, 3, 1]) == (2, 5)
    assert definitions.repeated([1, 2, 1, 2], n=2) == (1, 3)
    assert definitions.repeated([1, 1]) == (0, 0)


@pytest.mark.parametrize("strategy", ["greedy", "2 beams"])
def test_a_definition_is_what_follows_its_own_prompt(strategy):
    """Alone or beside longer words: padding changes nothing."""
    write = SEARCHES[strategy]
    together = definitions.define(BARE, ENTRIES[:3], write)
    assert definitions.define(BARE, ENTRIES[:1], write)[0] == together[0]
    for written in together:
        assert EOS_ID not in written.ids
        assert written.ended or len(written.ids) > LENGTH - 20


def test_a_cold_draw_is_greedy_search_and_a_draw_follows_from_its_seed():
    cold = definitions.define(BARE, ENTRIES, drawn(temperature=1e-6))
    assert cold == definitions.define(BARE, ENTRIES)
    one, again, other = (
        definitions.define(BARE, ENTRIES, DRAWS["temperature 1"], seed)
        for seed in (0, 0, 1)
    )
    assert one == again != other


def test_the_log_probabilities_of_wordnets_own_definitions_are_the_bits_of_the_model():
    own = definitions.own(ENTRIES)
    log_p = definitions.log_probabilities(BARE, ENTRIES, own)
    assert [*map(len, log_p)] == [len(text.ids) + 1 for text in own]
    characters = sum(len(entry.definition) + 1 for entry in ENTRIES)
    bits = -sum(map(sum, log_p)) / torch.tensor(2.0).log().item() / characters
    assert bits == pytest.approx(bits_per_character(BARE, ENTRIES), rel=1e-5)


def test_a_text_that_did_not_end_is_measured_without_an_end():
    texts = [Written([300, 301, 302], True), Written([300, 301, 302], False)]
    entries = [ENTRIES[0], ENTRIES[0]]
    ended, open_ = definitions.log_probabilities(BARE, entries, texts)
    assert ended[:3] == pytest.approx(open_)
    assert len(ended) == 4


def test_what_is_looked_at_is_counted_over_all_texts():
    own = definitions.own(ENTRIES)
    loop = Written(own[0].ids[:2] * 10, False)
    seen = definitions.look(BARE, ENTRIES, [loop, *own[1:]])
    grams = [len(text.ids) - 2 for text in own[1:]]
    assert seen["repeated"] == pytest.approx(16 / (18 + sum(grams)))
    assert seen["ended"] == pytest.approx(5 / 6)
    assert seen["tokens"] == pytest.approx((20 + sum(grams) + 2 * 5) / 6)
    assert seen["words"] > 10
    whole = definitions.look(BARE, ENTRIES, own)
    assert whole["log p of all"] / whole["log p"] == pytest.approx(whole["tokens"] + 1)
    assert whole["repeated"] == 0


def test_more_beams_find_likelier_texts_and_greedy_is_one_of_them():
    seen = [
        definitions.look(BARE, ENTRIES, definitions.define(BARE, ENTRIES, write))
        for write in (SEARCHES["greedy"], SEARCHES["4 beams"])
    ]
    assert seen[1]["log p of all"] > seen[0]["log p of all"]
