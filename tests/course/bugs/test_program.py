"""The program that the bugs are planted in: without a bug, it equals PyTorch's."""

import pytest
import torch
from torch import nn

from course.bugs import cases
from course.bugs.program import (
    FLOOR,
    PAD,
    SOS,
    STEPS,
    Parts,
    Settings,
    V,
    build,
    continued,
    draw_texts,
    exact_match,
    generate,
    sinusoids,
    spelled,
    train,
    trained,
)

SETTINGS = [Settings(), Settings(n_heads=1, d_model=16), Settings(rotary=True)]


@pytest.fixture(scope="module")
def healthy():
    return trained(Settings(), Parts())


@pytest.fixture
def texts():
    return draw_texts(torch.Generator().manual_seed(3), 8)


def twin(program):
    """PyTorch's own block with the parameters of a program."""
    D, H = program.settings.d_model, program.settings.n_heads
    theirs = nn.TransformerEncoderLayer(D, H, 2 * D, dropout=0.0, batch_first=True)
    attention, own = theirs.self_attn, program.attention
    inner = [own.W_Q, own.W_K, own.W_V]
    pairs = [
        (attention.in_proj_weight, torch.cat([W.weight for W in inner])),
        (attention.in_proj_bias, torch.cat([W.bias for W in inner])),
        (attention.out_proj.weight, own.W_O.weight),
        (attention.out_proj.bias, own.W_O.bias),
    ]
    for a, b in ((theirs.linear1, program.ffn[0]), (theirs.linear2, program.ffn[2])):
        pairs += [(a.weight, b.weight), (a.bias, b.bias)]
    for a, b in ((theirs.norm1, program.norm_1), (theirs.norm2, program.norm_2)):
        pairs += [(a.weight, b.gamma), (a.bias, b.beta)]
    with torch.no_grad():
        for a, b in pairs:
            a.copy_(b)
    return theirs.eval()


@pytest.mark.parametrize("settings", SETTINGS[:2])
def test_the_healthy_program_equals_pytorchs_layers(settings, texts):
    program = build(settings, Parts(), seed=1)
    T, D = texts.size(1), settings.d_model
    x = D**0.5 * program.E[texts] + sinusoids(torch.arange(T), D)
    causal = nn.Transformer.generate_square_subsequent_mask(T)
    with torch.no_grad():
        expected = twin(program)(x, src_mask=causal) @ program.E.T
        torch.testing.assert_close(program(texts), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_cache_changes_nothing(settings, texts):
    program = build(settings, Parts(), seed=1)
    cache = []
    with torch.no_grad():
        steps = [program(texts[:, :4], cache)]
        steps += [program(texts[:, n : n + 1], cache) for n in range(4, 13)]
        whole = program(texts)
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, rtol=1e-4, atol=1e-4)


def test_its_strings_are_words_of_three_letters_repeated(texts):
    assert (texts[:, 0] == SOS).all()
    for row in texts[:, 1:]:
        letters = row[row != PAD]
        assert 6 <= len(letters) <= 12
        assert (row[len(letters) :] == PAD).all()
        assert (letters[3:] == letters[:-3]).all()
        assert 2 <= letters.min() <= letters.max() < V
    assert spelled(torch.tensor([0, 1, 2, 11])) == ".^aj"


def test_the_healthy_program_comes_close_to_the_lowest_possible_loss(healthy):
    program, losses = healthy
    assert len(losses) == STEPS
    assert abs(sum(losses[-20:]) / 20 - FLOOR) < 0.03
    assert exact_match(program) > 0.95 < exact_match(program, cached=True)
    assert continued(program) == "cab" * 4 == continued(program, cached=True)
    assert generate(program, torch.tensor([[2, 3, 4]])).shape == (1, 12)


def test_nothing_here_changes_the_readers_random_numbers(texts):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    program = build(Settings(p=0.3), Parts(), seed=2)
    train(program, 0, steps=2)
    assert (torch.rand(3) == expected).all()


def test_what_left_the_attention_is_seen(texts):
    program = build(Settings(), Parts(), 0)
    seen = {}
    program(texts, seen=seen)
    with torch.no_grad():
        y = program.norm_1(seen["vectors"] + seen["attention"])
        y = program.norm_2(y + program.ffn(y))
    torch.testing.assert_close(seen["block"], y)


def test_with_one_head_and_with_four_there_is_a_curve_each(monkeypatch):
    made = []

    def few(settings, parts, seed):
        program = build(settings, parts, seed)
        made.append((settings.n_heads, train(program, seed, steps=7)))
        return program, made[-1][1]

    monkeypatch.setattr(cases, "trained", few)
    symptom, _ = cases.look_at_heads(Settings(), Parts(), 0)
    assert symptom.curves == {
        f"{heads} head{'s' * (heads > 1)}": losses[:: cases.EVERY]
        for heads, losses in made
    }
    assert len(symptom.curves) == 2


def test_a_training_stops_where_its_loss_is_not_finite():
    bad = Parts(loss=lambda *_: torch.tensor(torch.inf, requires_grad=True))
    assert train(build(Settings(), bad, 0), 0) == [torch.inf]


def test_the_same_seed_gives_the_same_training_and_dropout():
    settings = Settings(p=0.2)
    first, again, other = (
        train(build(settings, Parts(), seed), seed, steps=3) for seed in (0, 0, 1)
    )
    assert first == again != other


def test_numbers_are_dropped_while_it_trains_and_not_afterwards(texts):
    dropping, keeping = (build(Settings(p=p), Parts(), 0) for p in (0.5, 0.0))
    with torch.no_grad():
        assert dropping(texts).equal(keeping(texts))
    assert train(dropping, 0, steps=1) != train(keeping, 0, steps=1)
    with torch.no_grad():
        assert dropping(texts).equal(dropping(texts))
