"""The model of the course that writes English, character by character."""

from dataclasses import replace

import pytest
import torch

from course.data.documentation import VOCABULARY, in_ids, parts
from course.experiments import characters
from course.models import gpt
from transformer_lib import DecoderOnlyTransformer, Sampling

C = gpt.SIZES.max_length


def test_a_new_character_costs_it_less_than_the_best_of_the_n_grams():
    [grams] = characters.EXPERIMENT.results(model="n-grams")
    best = min(grams["bits"].values())
    assert best == grams["bits"]["5"]
    steps = characters.LENGTHS
    short, whole = characters.EXPERIMENT.table("bits", model="GPT", steps=steps)
    assert whole.max() < best - 0.05
    assert short.min() > grams["bits"]["3"]
    part = parts().test[:6000]
    baseline = gpt.NGrams(parts().learned, 3, len(VOCABULARY)).bits(part)
    assert gpt.bits(gpt.trained(), part) < baseline - 0.4


@pytest.mark.parametrize(
    ("C", "length"),
    [(C, n) for n in (C + 1, C + 2, 2 * C, 2 * C + 17, 3 * C + 1)] + [(1, 9), (3, 9)],
)
def test_each_character_but_the_first_is_counted_once(C, length):
    """Against a count that is written out, window by window."""
    text = parts().settings[:length]
    ids = in_ids(text)
    model = DecoderOnlyTransformer(replace(gpt.SIZES, max_length=C)).eval()
    assert gpt.by_context(model, text).shape == (C,)
    costs = {}
    starts = [*range(0, length - C, max(1, C // 2)), length - 1 - C]
    for start in starts:
        with torch.no_grad():
            log_p = model(ids[None, start : start + C]).log_softmax(-1)[0]
        for t in range(C):
            place = start + t + 1
            costs.setdefault(place, -float(log_p[t, ids[place]]))
    assert sorted(costs) == list(range(1, length))
    mean = sum(costs.values()) / len(costs) / torch.log(torch.tensor(2.0))
    assert gpt.bits(model, text) == pytest.approx(float(mean), abs=1e-4)


def test_what_is_seen_is_what_a_cost_is_behind():
    model, _ = gpt.begin(steps=2)
    text = parts().settings[: C + 1]
    ids = in_ids(text)
    costs = gpt.by_context(model, text)
    assert costs.shape == (C,)
    with torch.no_grad():
        log_p = model(ids[None, :3]).log_softmax(-1)[0, 2, ids[3]]
    assert float(costs[2]) == pytest.approx(-float(log_p) / 0.693147, abs=1e-3)


def test_it_writes_on_beyond_what_it_can_read():
    prompt = "The value of"
    text = gpt.write(gpt.trained(), prompt, C)
    assert text.startswith(prompt)
    assert len(text) == len(prompt) + C
    some = Sampling(temperature=0.7)
    one, again, other = (
        gpt.write(gpt.trained(), prompt, 20, some, seed) for seed in (0, 0, 1)
    )
    assert one == again != other


def test_most_words_that_it_writes_are_words_of_the_text():
    known = set(parts().learned.split())
    text = gpt.write(gpt.trained(), "The ", 120, Sampling(temperature=0.5))
    words = text.split()[:-1]
    assert sum(word in known for word in words) / len(words) > 0.75


@pytest.mark.parametrize(
    ("prompt", "words"),
    [("", "prompt must hold a character"), ("naïve", "'ï' is not in the vocabulary")],
)
def test_a_prompt_that_cannot_be_read_is_refused(prompt, words):
    with pytest.raises(ValueError, match=words):
        gpt.write(gpt.begin(steps=2)[0], prompt)
    with pytest.raises(ValueError, match=r"^length must be at least 1, got 0$"):
        gpt.write(gpt.begin(steps=2)[0], "The", 0)
    with pytest.raises(TypeError, match=r"^prompt must be a str, got int$"):
        gpt.write(gpt.begin(steps=2)[0], 3)
    with pytest.raises(ValueError, match="text must hold over 128 characters, got 3"):
        gpt.bits(gpt.begin(steps=2)[0], "abc")


def test_contexts_of_n_are_those_of_n_to_2n_minus_1_characters(monkeypatch):
    lengths = torch.arange(1.0, 129)
    monkeypatch.setattr(characters, "by_context", lambda *_: lengths)
    monkeypatch.setattr(characters, "bits", lambda *_: 0.0)
    found = characters.measure(None)["by_context"]
    assert found == {str(n): (3 * n - 1) / 2 for n in characters.CONTEXTS}
