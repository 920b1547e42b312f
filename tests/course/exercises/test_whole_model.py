"""The exercises of notebook 11 ask for what the library does."""

import numpy as np
import pytest
import torch

from course import exercises
from course.data.jobs import VOCABULARY
from course.experiments import cuts
from course.models.jobs import next_word, trained
from transformer_lib import Transformer, TransformerConfig
from transformer_lib.model.attention import masked_softmax
from transformer_lib.oracles import numpy_reference as reference

START = "Ajish works as an AI"


def solved(name):
    """The exercise's own solution, as a function."""
    return exercises.EXERCISES[name].build()


@pytest.mark.parametrize(("V", "D", "F", "N"), [(10, 4, 8, 2), (7, 6, 5, 1)])
@pytest.mark.parametrize("H", [1, 2])
def test_the_parameters_are_those_of_the_model_whatever_its_heads(V, D, F, N, H):
    layers = {"n_encoder_layers": N, "n_decoder_layers": N}
    sizes = {"vocabulary_size": V, "d_model": D, "d_ff": F, "n_heads": H}
    model = Transformer(TransformerConfig(**sizes, **layers))
    count = sum(weights.numel() for weights in model.parameters())
    assert solved("parameters")(V, D, F, N) == count


def test_the_probabilities_are_those_of_a_trained_model():
    x = cuts.run(trained(), [START])["decoder"][0].numpy()
    E = trained().embedding.weight.detach().numpy()
    said = next_word(trained(), START)
    expected = [said[word] for word in VOCABULARY.words]
    np.testing.assert_allclose(
        solved("next_word_probabilities")(x, E), expected, atol=1e-6
    )


def test_a_cut_edge_is_one_that_a_mask_hides():
    scores = np.random.default_rng(0).normal(size=(4, 6))
    mask = torch.ones(4, 6, dtype=torch.bool)
    mask[2, 5] = False
    expected = masked_softmax(torch.from_numpy(scores), mask)
    np.testing.assert_allclose(solved("cut_edge")(scores, 2, 5), expected)


def test_another_way_of_counting_is_right():
    def parameters(V, D, F, N):
        shapes = [(V, D)]
        for attentions, norms in ((1, 2), (2, 3)):
            shapes += N * attentions * 4 * [(D + 1, D)]
            shapes += N * [(D + 1, F), (F + 1, D)]
            shapes += N * norms * [(2, D)]
        return sum(a * b for a, b in shapes)

    assert exercises.check(parameters).kind == "right"


def shares(scores, axis=None):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum(axis, keepdims=True)


def rows_summed(x, E):
    return shares(sum(x) @ E.T)


def every_row(x, E):
    return shares(x @ E.T, axis=1)


def one_sum_for_all(x, E):
    return shares(x @ E.T)[-1]


def over_the_tokens(x, E):
    scores = x @ E.T
    powers = np.exp(scores - scores.max(axis=0))
    return (powers / powers.sum(axis=0))[-1]


def the_most_likely(x, E):
    return np.argmax(x[-1] @ E.T)


def forward_pass(source, target, mask, E, P, encode, decode, *, scale=None, sees=None):
    """The forward pass in other words: sums of one-hot rows, a mask by comparison."""
    scale = scale or np.sqrt(E.shape[-1])
    x, y = (
        scale * np.eye(len(E))[ids] @ E + P[np.arange(ids.shape[-1])]
        for ids in (source, target)
    )
    t = np.arange(target.shape[-1])
    causal = t <= t[:, None] if sees is None else sees(t[:, None], t)
    return np.einsum("btd,vd->btv", decode(y, encode(x, mask), causal, mask), E)


def words_without_order(source, target, mask, E, P, encode, decode):
    return forward_pass(source, target, mask, E, 0 * P, encode, decode)


def everything_scaled(source, target, mask, E, P, encode, decode):
    wide = np.sqrt(E.shape[1])
    return forward_pass(source, target, mask, E, wide * P, encode, decode)


def torchs_mask(*given):
    return forward_pass(*given, sees=lambda query, key: key > query)


def padding_in_the_memory(source, target, mask, E, P, encode, decode):
    def careless(y, memory, causal, mask):
        return decode(y, memory, causal, np.ones_like(mask))

    return forward_pass(source, target, mask, E, P, encode, careless)


def already_probabilities(*given):
    return shares(forward_pass(*given), axis=-1)


def without_the_encoder(source, target, mask, E, P, encode, decode):
    def nothing(x, mask):
        return x

    return forward_pass(source, target, mask, E, P, nothing, decode)


def test_another_forward_pass_is_right():
    assert exercises.check("transformer_forward", forward_pass).kind == "right"


def test_the_forward_pass_is_that_of_a_trained_model():
    model = trained()
    source, target = cuts.encode([START])
    size = model.config.max_length, model.config.d_model
    logits = solved("transformer_forward")(
        source,
        target,
        None,
        model.embedding.weight.detach(),
        torch.from_numpy(reference.sinusoidal_encoding(*size)).float(),
        model.encoder,
        lambda y, memory, causal, mask: model.decoder(
            y, memory, torch.as_tensor(causal), mask
        ),
    )
    expected = model(source, target)
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-5)


def test_a_wrong_number_is_told_without_naming_functions():
    found = exercises.check(
        "transformer_forward", lambda *given: forward_pass(*given) + 1
    )
    assert found.kind == "different"
    assert "lambda" not in found.text


def shared_evenly(scores, query, key):
    weights = shares(scores, axis=1)
    others = np.arange(len(scores[0])) != key
    weights[query, others] += weights[query, key] / others.sum()
    weights[query, key] = 0
    return weights


def divided_by_one_sum(scores, query, key):
    weights = shares(scores, axis=1)
    weights[query, key] = 0
    return weights / weights.sum()


def cut_after_the_softmax(scores, query, key):
    weights = shares(scores, axis=1)
    weights[query, key] = -np.inf
    return weights


def still_scores(scores, query, key):
    edge = np.zeros_like(scores, dtype=bool)
    edge[query, key] = True
    return np.where(edge, -np.inf, scores)


def counted(V, D, F, N):
    """The model of 2017, by the shapes of what it learns."""
    attentions, norms = 12 * N * (D + 1) * D, 10 * N * D
    return V * D + 2 * N * ((D + 1) * F + (F + 1) * D) + attentions + norms


def biased_scores(V, D, F, N):
    return counted(V, D, F, N) + V


def norms_at_both_ends(V, D, F, N):
    return counted(V, D, F, N) + 2 * (D + D)


def each_block_twice(V, D, F, N):
    return counted(V, D, F, 2 * N)


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("next_word_probabilities", rows_summed, "All tokens are summed"),
        ("next_word_probabilities", every_row, "probabilities for every token"),
        ("next_word_probabilities", one_sum_for_all, "the scores of all tokens"),
        ("next_word_probabilities", over_the_tokens, "runs over the tokens"),
        ("next_word_probabilities", the_most_likely, "index of the most likely word"),
        ("transformer_forward", words_without_order, "No positions are added"),
        ("transformer_forward", everything_scaled, "positions are scaled"),
        ("transformer_forward", torchs_mask, "marks what is hidden"),
        ("transformer_forward", padding_in_the_memory, "attends to padding in"),
        ("transformer_forward", already_probabilities, "These are probabilities"),
        ("transformer_forward", without_the_encoder, "no encoder block has seen"),
        ("parameters", biased_scores, "The output layer has a bias"),
        ("parameters", norms_at_both_ends, "ends in an extra norm"),
        ("parameters", each_block_twice, "counted twice"),
        ("cut_edge", shared_evenly, "equal parts of the lost weight"),
        ("cut_edge", divided_by_one_sum, "divided by its sum"),
        ("cut_edge", cut_after_the_softmax, "cut after the softmax"),
        ("cut_edge", still_scores, "these are still scores"),
    ],
)
def test_a_mistake_is_named_however_it_is_written(name, answer, said):
    found = exercises.check(name, answer)
    assert found.kind == "mistake"
    assert said in found.text
