"""The exercises of notebook 11 ask for what the library does."""

import numpy as np
import pytest
import torch

from transformer_lib import Transformer, TransformerConfig, exercises
from transformer_lib.data.jobs import VOCABULARY
from transformer_lib.experiments import cuts
from transformer_lib.model.attention import masked_softmax
from transformer_lib.small_models.whole_model.jobs import next_word, trained

START = "Ajish works as an AI"


def solved(name):
    """The exercise's own solution, as a function."""
    return exercises.EXERCISES[name].made()


@pytest.mark.parametrize(("V", "D", "F", "N"), [(10, 4, 8, 2), (7, 6, 5, 1)])
@pytest.mark.parametrize("H", [1, 2])
def test_the_parameters_are_those_of_the_model_whatever_its_heads(V, D, F, N, H):
    layers = {"n_encoder_layers": N, "n_decoder_layers": N}
    sizes = {"vocabulary_size": V, "d_model": D, "d_ff": F, "n_heads": H}
    model = Transformer(TransformerConfig(**sizes, **layers))
    count = sum(weights.numel() for weights in model.parameters())
    assert solved("parameters")(V, D, F, N) == count


def test_the_odds_are_what_a_trained_model_says():
    x = cuts.run(trained(), [START])["decoder"][0].numpy()
    E = trained().embedding.weight.detach().numpy()
    said = next_word(trained(), START)
    expected = [said[word] for word in VOCABULARY.words]
    np.testing.assert_allclose(solved("next_word_odds")(x, E), expected, atol=1e-6)


def test_a_cut_edge_is_one_that_a_mask_hides():
    scores = np.random.default_rng(0).normal(size=(4, 6))
    mask = torch.ones(4, 6, dtype=torch.bool)
    mask[2, 5] = False
    expected = masked_softmax(torch.from_numpy(scores), mask)
    np.testing.assert_allclose(solved("cut_edge")(scores, 2, 5), expected)


def test_another_way_of_counting_is_right_too():
    def parameters(V, D, F, N):
        shapes = [(V, D)]
        for attentions, norms in ((1, 2), (2, 3)):
            shapes += N * attentions * 4 * [(D + 1, D)]
            shapes += N * [(D + 1, F), (F + 1, D)]
            shapes += N * norms * [(2, D)]
        return sum(a * b for a, b in shapes)

    assert exercises.check(parameters).kind == "right"
