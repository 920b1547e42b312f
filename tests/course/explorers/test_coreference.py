"""coreference without a browser: it shows where the model looks, and what it says."""

import numpy as np
import pytest
from explanations import recomputed

from course import explorers
from course.data.coreference import found_in
from course.models import coreference

SOFT = "The cat sat on the mat, and it was soft"
SENTENCES = "the old dog lay under the table, but it was brave.", SOFT
CUTS = {"to its noun": "antecedent", "to the other noun": "other"}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_it_shows_where_both_blocks_look_and_what_the_model_says(sentence):
    asked = found_in(sentence)
    explorer = explorers.coreference(sentence)
    for block, name in enumerate(("first", "second")):
        explorer.controls["look"].value = name
        words, weights = coreference.attention_weights(
            coreference.trained(), asked, block
        )
        np.testing.assert_allclose(explorer.values["arcs"], weights, atol=1e-6)
        arcs = explorer.drawings[0]
        assert [*arcs.rows] == words
        assert arcs.chosen == words.index("it")
    answer = explorer.drawings[-1]
    [said] = coreference.answers(coreference.trained(), [asked])
    assert answer.columns[explorer.values["likely"].argmax()] == said
    [scores] = coreference.scores(coreference.trained(), [asked])
    shown = scores.softmax(-1)[coreference.VOCABULARY.encode(answer.columns)]
    np.testing.assert_allclose(explorer.values["likely"], [shown], atol=1e-5)
    assert {asked.words[asked.antecedent], asked.words[asked.other]} == {
        *answer.columns[:2]
    }


@pytest.mark.parametrize("cut", CUTS)
def test_an_edge_that_is_cut_has_no_weight_and_its_noun_is_then_missed(cut):
    explorer = explorers.coreference(SOFT)
    before = explorer.values["likely"]
    explorer.controls["cut"].value = cut
    asked = found_in(SOFT)
    assert explorer.values["arcs"][asked.it, getattr(asked, CUTS[cut])] == 0
    mat = explorer.drawings[-1].columns.index("mat")
    falls = before[0, mat] - explorer.values["likely"][0, mat]
    assert (falls > 0.1) == (cut == "to its noun")
    explorer.controls["cut"].value = "none"
    np.testing.assert_array_equal(explorer.values["likely"], before)


def test_how_likely_a_word_is_is_what_its_explanation_comes_to():
    explorer = explorers.coreference()
    made = explorer.drawings[-1].provenance
    found = recomputed(explorer.values, "likely", made)
    np.testing.assert_allclose(found, explorer.values["likely"], atol=1e-5)


@pytest.mark.parametrize(
    ("sentence", "naming"),
    [
        ("The lion sat on the mat, and it was happy", "got 'lion'"),
        ("The cat sat on the mat", "it, two nouns, and a quality of one"),
    ],
)
def test_a_sentence_that_cannot_be_read_is_refused_and_the_picture_stays(
    sentence, naming
):
    explorer = explorers.coreference()
    before = explorer.values["likely"]
    explorer.controls["sentence"].value = sentence
    assert naming in explorer.view.message
    assert explorer.values["likely"] is before
    with pytest.raises(ValueError, match=naming):
        explorers.coreference(sentence)


def test_an_edge_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="cut must be one of"):
        explorers.coreference(cut="to itself")
