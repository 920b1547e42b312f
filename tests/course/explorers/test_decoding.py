"""decoding: what it shows of a text is how the library writes it, step by step."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from loop import in_a_loop
from small import PROMPTS, WRITERS, build

from course import explorers
from course.data import stories as tales
from course.explorers.generation.branches import LEAVES
from course.explorers.generation.choices import FEW, called
from course.explorers.generation.writing import (
    CANDIDATES,
    Greedy,
    Sampled,
    Searched,
    Writer,
)
from course.models import stories
from explorable import player
from transformer_lib import (
    DecoderOnlyTransformer,
    Decoding,
    Sampling,
    Transformer,
    Vocabulary,
    beam_search,
    greedy,
    sample,
)

WORDS = Vocabulary([*"cdefghij"], pad="p", eos="⟨EOS⟩", sos="⟨SOS⟩")
SOURCE = " ".join(WORDS.decode(PROMPTS[0]))
LONGEST = 12


def writer(kind, seed=0, **options):
    return Writer(build(kind, seed, **options), WORDS, None)


def told(kind):
    start = WORDS.sos_id if kind is Transformer else None
    return Decoding(max_length=LONGEST, start_id=start, end_id=WORDS.eos_id)


def decoding(kind=Transformer, **options):
    options = {"longest": LONGEST} | options
    return explorers.decoding(build(kind), WORDS, SOURCE, **options)


def tokens(made, node):
    return [made.tokens[n] for n in made.path(node)]


def written(ids, kind):
    """The tokens behind a prompt, up to the first end."""
    behind = ids[1 if kind is Transformer else PROMPTS.size(1) :].tolist()
    ends = [n for n, token in enumerate(behind) if token == WORDS.eos_id]
    return behind[: ends[0] + 1] if ends else behind


def drawing(explorer, name):
    return next(d for d in explorer.drawings if d.name == name)


def said(explorer):
    return [d.text(explorer.values) for d in explorer.drawings]


def next_log_p(model, text):
    """Score the next token of a text behind the source, by the model alone."""
    with torch.no_grad():
        if isinstance(model, Transformer):
            logits = model(PROMPTS[:1], torch.tensor([[WORDS.sos_id, *text]]))
        else:
            logits = model(torch.tensor([[*PROMPTS[0].tolist(), *text]]))
    return logits[0, -1].log_softmax(-1)


# ── the texts are the library's ─────────────────────────────────────────────────
@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("seed", range(3))
def test_greedy_is_the_librarys(kind, seed):
    own = writer(kind, seed)
    made = own.write(SOURCE, LONGEST, Greedy())
    found = greedy(own.model, PROMPTS[:1], told(kind))
    assert tokens(made, made.best) == written(found.ids[0], kind)
    assert made.totals[made.best] == pytest.approx(float(found.scores), abs=1e-4)
    assert made.fronts[-1] == [made.best]
    for node in made.path(made.best):
        others = [n for n in made.tried if made.parents[n] == made.parents[node]]
        assert all(made.totals[node] >= made.totals[n] for n in others)


@pytest.mark.parametrize("kind", WRITERS)
def test_samples_are_the_librarys_of_the_same_seed(kind):
    own = writer(kind)
    sampling = Sampling(temperature=1.5, top_k=6, top_p=0.9)
    made = own.write(SOURCE, LONGEST, Sampled(5, sampling, 3))
    chance = torch.Generator().manual_seed(3)
    many = PROMPTS[:1].expand(5, -1)
    found = sample(own.model, many, told(kind), sampling, chance)
    for row, node in enumerate(made.fronts[-1]):
        assert tokens(made, node) == written(found.ids[row], kind)
        assert made.totals[node] == pytest.approx(float(found.scores[row]), abs=1e-4)
    assert len(set(made.fronts[-1])) > 1
    assert set(made.fronts[-1]) == made.ended


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("penalty", [0.0, 2.0])
def test_beams_are_the_librarys(kind, penalty):
    own = writer(kind)
    made = own.write(SOURCE, LONGEST, Searched(3, penalty))
    found = beam_search(own.model, PROMPTS[:1], told(kind), 3, penalty)
    assert tokens(made, made.best) == written(found.ids[0, 0], kind)
    assert made.best in made.ended
    n = len(made.path(made.best))
    score = made.totals[made.best] / ((5 + n) / 6) ** penalty
    assert score == pytest.approx(float(found.scores), abs=1e-4)


@pytest.mark.parametrize("kind", WRITERS)
def test_beams_keep_the_best_of_all_sums_at_each_step(kind):
    own = writer(kind)
    made = own.write(SOURCE, LONGEST, Searched(3, 0.0))
    for n in range(1, made.steps + 1):
        sums = []
        for node in made.fronts[n - 1]:
            log_p = next_log_p(own.model, tokens(made, node))
            sums += (made.totals[node] + log_p.double()).tolist()
        there = [m for m in range(len(made.tokens)) if made.depth(m) == n]
        kept = [m for m in there if m not in made.tried]
        best = sorted(sums, reverse=True)
        found = sorted((made.totals[m] for m in kept), reverse=True)
        np.testing.assert_allclose(found, best[: len(kept)], atol=1e-4)
        assert len(kept) == 3
        others = sorted((made.totals[m] for m in set(there) - {*kept}), reverse=True)
        few = min(6, CANDIDATES)
        np.testing.assert_allclose(others, best[3:few], atol=1e-4)


# ── what is shown of them ───────────────────────────────────────────────────────
def test_the_signs_that_are_explained_are_those_of_the_candidates():
    explorer = decoding(strategy="beam search")
    for step in range(1, len(explorer.way) + 1):
        explorer.controls["step"].value = step
        bars = drawing(explorer, "candidates")
        signs = {label[-1] for label in bars.labels} & {*"✓∎"}
        assert {*bars.formula} & {*"✓∎"} == signs


def test_the_bars_are_what_may_come_next_and_what_it_is_drawn_from():
    options = {"temperature": 1.4, "top_k": 4, "top_p": 0.95, "seed": 5}
    explorer = decoding(strategy="sample", texts=1, **options)
    sampling = Sampling(temperature=1.4, top_k=4, top_p=0.95)
    text = []
    for step in range(1, len(explorer.way) + 1):
        explorer.controls["step"].value = step
        bars = drawing(explorer, "next")
        log_p = next_log_p(build(Transformer), text)
        both = [log_p.exp(), sampling.probabilities(log_p)]
        for label, row, cut in zip(
            bars.labels, explorer.values["next"], bars.hidden, strict=True
        ):
            if label.endswith("others"):
                continue
            token = WORDS.encode([label.removesuffix(" ✓")])[0]
            np.testing.assert_allclose(row, [float(p[token]) for p in both], atol=1e-5)
            assert cut.tolist() == [False, bool(row[1] == 0)]
        np.testing.assert_allclose(explorer.values["next"].sum(0), 1, atol=1e-5)
        [chosen] = [label for label in bars.labels if label.endswith("✓")]
        text += WORDS.encode([chosen.removesuffix(" ✓")])
        tree = drawing(explorer, "texts")
        assert [tree.words[n] for n in tree.path(tree.taken)[1:]] == WORDS.decode(text)
    assert "cut" in explorer.text()


def test_a_sample_that_has_ended_is_seen_as_it_was_then():
    explorer = decoding(strategy="sample", texts=6, temperature=3.0, seed=2)
    made = explorer._always["writer"].write(
        SOURCE, LONGEST, Sampled(6, Sampling(temperature=3.0, top_k=11), 2)
    )
    lengths = [made.depth(n) for n in made.fronts[-1]]
    first = int(np.argmin(lengths))
    assert lengths[first] < made.steps
    explorer.controls["text"].value = first + 1
    explorer.controls["step"].value = lengths[first]
    then = explorer.values["next"].copy()
    explorer.controls["step"].value = made.steps
    np.testing.assert_array_equal(explorer.values["next"], then)
    assert f"{WORDS.words[WORDS.eos_id]} ✓" in drawing(explorer, "next").labels


@pytest.mark.parametrize("strategy", ["greedy", "sample", "beam search"])
def test_the_tree_multiplies_up_and_its_ends_are_the_texts(strategy):
    explorer = decoding(DecoderOnlyTransformer, strategy=strategy, step=11, texts=4)
    tree = drawing(explorer, "texts")
    for node, (p, score) in enumerate(explorer.values["texts"]):
        parent = tree.parents[node]
        before = explorer.values["texts"][parent, 1] if node else 0.0
        assert score == pytest.approx(before + np.log(p), abs=1e-9)
    path = [tree.words[n] for n in tree.path(tree.taken)]
    assert path[0] == SOURCE
    assert tree.note == f"written: {' '.join(path)}"
    leaves = set(range(len(tree.words))) - set(tree.parents)
    assert len(leaves) <= LEAVES
    assert all(tree.states[n] in ("ended", "left") for n in leaves)


def test_before_the_search_is_over_no_path_is_taken():
    kind = DecoderOnlyTransformer
    made = writer(kind).write(SOURCE, LONGEST, Searched(3, 0.0))
    assert made.depth(made.best) < made.steps  # it has ended, and others go on
    explorer = decoding(kind, strategy="beam search", texts=3)
    for step in range(1, made.steps):
        explorer.controls["step"].value = step
        assert drawing(explorer, "texts").taken == -1
    explorer.controls["step"].value = made.steps
    assert drawing(explorer, "texts").taken > 0


def test_a_length_penalty_divides_each_score_by_its_length():
    plain, told = (
        decoding(strategy="beam search", step=3, length_penalty=a) for a in (0.0, 1.0)
    )
    tree = drawing(told, "texts")
    assert tree.measure == "score"
    lengths = np.array([len(tree.path(n)) - 1 for n in range(len(tree.words))])
    expected = plain.values["texts"][:, 1] / ((5 + lengths) / 6)
    np.testing.assert_allclose(told.values["texts"][:, 1], expected)


def test_a_text_is_named_by_its_end_and_whole_if_it_is_short():
    words = ["w"] * 30

    def made(length):
        return SimpleNamespace(tokens=range(30), path=lambda _: range(length))

    assert called(made(3), words, "the cat", 0) == "“the cat w w w”"
    name = called(made(30), words, "the cat", 0)
    assert name == f"“… {' '.join('w' * (FEW // 2))}”"


def test_candidates_come_best_first_and_those_that_stay_are_marked():
    explorer = decoding(strategy="beam search", step=2, texts=3)
    bars = drawing(explorer, "candidates")
    chances = explorer.values["candidates"][:, 0]
    assert (np.diff(chances) <= 0).all()  # the longest bar is the best
    assert [label[-1] in "✓∎" for label in bars.labels] == [True] * 3 + [False] * 3
    assert bars.faint == [False] * 3 + [True] * 3
    assert bars.scale[0] == 0 < chances.max() <= bars.scale[1]


@pytest.mark.parametrize("strategy", ["greedy", "sample", "beam search"])
def test_from_step_to_step_the_bars_are_as_wide(strategy):
    """The tree beside them stood elsewhere at each step."""
    explorer = explorers.decoding(
        stories.trained(),
        tales.VOCABULARY,
        ". the cat sits",
        strategy=strategy,
        end=".",
    )
    rooms, longest = set(), 0
    for step in range(1, len(explorer.way) + 1):
        explorer.controls["step"].value = step
        bars = explorer.drawings[0]
        rooms.add(bars.room)
        longest = max(longest, len(bars.formula))
    assert len(rooms) == 1
    assert longest <= 50


def test_the_sample_in_view_is_one_of_those_that_there_are():
    explorer = decoding(strategy="sample", step=3, texts=3, temperature=3.0)
    seen = []
    for n in (1, 2, 3, 6):
        explorer.controls["text"].value = n
        tree = drawing(explorer, "texts")
        seen.append([tree.words[m] for m in tree.path(tree.taken)])
    assert len({" ".join(text) for text in seen}) == 3
    assert seen[3] == seen[2]


# ── steps ───────────────────────────────────────────────────────────────────────
def test_one_behind_the_last_step_shows_the_end_and_back_leads_before_it():
    drawn = {"strategy": "sample", "texts": 1, "temperature": 3.0}
    each = (decoding(seed=seed, **drawn) for seed in range(20))
    explorer = next(e for e in each if 3 <= len(e.way) < LONGEST - 2)
    last = len(explorer.way)
    explorer.go(last)
    assert explorer.controls["step"].value == last
    at_the_end = said(explorer)
    explorer.controls["step"].value = LONGEST - 1
    assert said(explorer) == at_the_end
    explorer.go(-1)
    assert explorer.controls["step"].value == last - 1


def test_a_press_leads_to_the_end_and_playing_stops_there(monkeypatch):
    monkeypatch.setitem(player.PACES, "2 s each", 0.0)

    async def played():
        explorer = decoding(step=2)
        explorer.play()
        await asyncio.wait_for(explorer._task, 60)
        last = len(explorer.way)
        assert explorer.controls["step"].value == last
        explorer.reset()
        [end] = (b for b in explorer._buttons if b.description == "To the end")
        end.click()
        assert explorer.controls["step"].value == last

    in_a_loop(played())


def test_what_a_strategy_does_not_ask_for_is_out_of_sight():
    explorer = decoding()
    for strategy, seen in {
        "greedy": set(),
        "sample": {"texts", "text", "temperature", "top_k", "top_p", "seed"},
        "beam search": {"texts", "length_penalty"},
    }.items():
        explorer.controls["strategy"].value = strategy
        own = {n for n, c in explorer.controls.items() if c.layout.display != "none"}
        assert own == {"strategy", "source", "longest", "step"} | seen


def test_a_text_is_written_once_while_nothing_changes_and_anew_when_the_model_learns():
    explorer = decoding(step=3)
    kept = explorer._always["writer"].texts_of
    for step in (4, 5, 4):
        explorer.controls["step"].value = step
    assert kept.cache_info().misses == 1
    before = explorer.values["next"].copy()
    with torch.no_grad():
        explorer._always["writer"].model.embedding.weight.mul_(0.5)
    explorer.controls["step"].value = 3
    assert kept.cache_info().misses == 2
    assert before.shape != explorer.values["next"].shape or not np.allclose(
        before, explorer.values["next"]
    )


@pytest.mark.parametrize("strategy", ["greedy", "sample", "beam search"])
def test_its_picture_at_rest_is_at_most_1000_pixels_tall(strategy):
    explorer = decoding(strategy=strategy, texts=6, temperature=5.0, step=11)
    for step in (1, 6, 11):
        explorer.controls["step"].value = step
        picture = explorer.picture()
        assert picture.get_size_inches()[1] * picture.dpi <= 1000


# ── what is refused ─────────────────────────────────────────────────────────────
def test_what_the_model_does_not_know_is_told_in_a_line_and_the_picture_stays():
    explorer = decoding(DecoderOnlyTransformer, longest=8)
    before = explorer.values["next"].copy()
    for text, naming in {
        "c d z": "got 'z'",
        "c d e f g h i j": "source must be shorter than the longest text, 8 tokens",
        "": "source must hold 1 to 16 words",
    }.items():
        explorer.controls["source"].value = text
        assert naming in explorer.view.message
        np.testing.assert_array_equal(explorer.values["next"], before)
    explorer.controls["source"].value = SOURCE
    assert explorer.view.message == ""


MODEL = build(Transformer)


@pytest.mark.parametrize(
    ("options", "naming"),
    [
        ({"strategy": "best"}, "strategy must be one of"),
        ({"temperature": 0.0}, "temperature must be at least 0.1"),
        ({"top_k": 12}, "top_k must be 1 to 11, got 12"),
        ({"top_p": 1.5}, "top_p must be at least 0.05 and at most 1"),
        ({"texts": 7}, "texts must be 1 to 6, got 7"),
        ({"length_penalty": -1.0}, "length_penalty must be at least 0"),
        ({"longest": 17}, "longest must be 2 to 16, got 17"),
        ({"step": 0}, "step must be 1 to 15, got 0"),
        ({"end": "z"}, "end must be a word of the vocabulary, got 'z'"),
    ],
)
def test_a_setting_that_there_is_not_is_refused(options, naming):
    with pytest.raises(ValueError, match=naming):
        explorers.decoding(MODEL, WORDS, "c d", **options)


def test_a_transformer_needs_a_sign_to_start_with():
    bare = Vocabulary([*"abcdefghijk"])
    with pytest.raises(ValueError, match="vocabulary must have a sign for the start"):
        explorers.decoding(MODEL, bare, "a b")
