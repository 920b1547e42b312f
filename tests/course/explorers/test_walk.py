"""walk: every step of a pass of a real model, there and back, and what was replaced."""

import asyncio
import copy
import re
import textwrap
from itertools import pairwise

import numpy as np
import pytest
import torch
from explanations import judge_drawn
from loop import in_a_loop

from course import explorers
from course.data.jobs import VOCABULARY
from course.explorers.drawings.architecture.plan import SHARE, STRIP
from course.explorers.whole_model import passes
from course.explorers.whole_model.steps import Way
from course.explorers.whole_model.walk import COMPARED
from course.models import jobs
from explorable import player
from explorable.style import SHARES
from transformer_lib import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
    TransformerConfig,
    Vocabulary,
)
from transformer_lib.runtime.patching import patch
from transformer_lib.runtime.recording import record

START = "Ajish works as an AI"
KINDS = EncoderOnlyTransformer, DecoderOnlyTransformer, Transformer
PARAMETERS = {f"W_{letter}" for letter in "QKVO12"} | {
    "gamma",
    "beta",
    "weight",
    "bias",
}
CHOICES = {
    "as in the paper": {},
    "pre-norm": {"norm_first": True},
    "final norm, untied": {"final_norm": True, "tie_embeddings": False},
    "learned positions, GELU, no bias": {
        "positions": "learned",
        "activation": "gelu",
        "bias": False,
        "norm_first": True,
    },
    "no positions, one head": {"positions": "none", "n_heads": 1},
}


def model_of(kind, **options):
    sizes = {"vocabulary_size": len(VOCABULARY), "d_model": 12, "n_heads": 2, "d_ff": 7}
    sizes |= {"n_encoder_layers": 2, "n_decoder_layers": 3, "max_length": 9}
    torch.manual_seed(0)
    return kind(TransformerConfig(**sizes | options)).double().eval()


def walk(model, source=START, target=START, **options):
    target = target if isinstance(model, Transformer) else None
    return explorers.walk(model, VOCABULARY, source, target, **options)


def trained(**options):
    return walk(copy.deepcopy(jobs.trained()).double(), **options)


def all_steps(explorer):
    """Go from the first step to the last, and say at each what is shown."""
    explorer.go(-explorer.at)
    yield explorer
    for _ in explorer.way[1:]:
        explorer.go(1)
        assert explorer.view.message == ""  # it stands still where a step fails
        yield explorer


CROSS = "decoder.blocks.0.cross_attention"
HEADS = f"{CROSS}.heads"
REMOVED = {(HEADS, 1): torch.zeros_like}


def result(explorer):
    return next(d for d in explorer.drawings if getattr(d, "leads", False))


# ── the pass ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("head", [1, 4])
def test_every_number_of_a_pass_of_00s_model_is_what_its_explanation_comes_to(head):
    explorer = trained(head=head)
    for at in all_steps(explorer):
        judge_drawn(at, 1e-9)
        given = result(at).provenance["op"] == "leaf"
        assert not given, result(at).name


@pytest.mark.parametrize("options", CHOICES.values(), ids=list(CHOICES))
@pytest.mark.parametrize("kind", KINDS)
def test_every_step_of_every_model_shows_what_the_model_computed(kind, options):
    model = model_of(kind, **options)
    explorer = walk(model, "Mia works as", "Mia works", feature=4)
    with torch.no_grad(), record(model) as tensors:
        ids = [VOCABULARY.encode(w) for w in explorer_words(explorer)]
        model(*(torch.tensor([each]) for each in ids))
    for at in all_steps(explorer):
        judge_drawn(at, 1e-9)
        name = result(at).name.partition("[")[0]
        if name in tensors:
            own = tensors[name].reshape(-1, *tensors[name].shape[-2:])[0]
            shown = at.values[result(at).name]
            words = name == "logits"
            first = min(3, max(0, own.shape[1] - 8))  # the last 8 where there are less
            wanted = np.sort(own)[:, -7:] if words else own[:, first : first + 8]
            last = slice(-1, None) if words else slice(None)
            found = np.sort(shown)[last] if words else shown
            np.testing.assert_array_equal(found, wanted[last])
        if name != "probabilities":  # made of the logits in two steps
            parts = {d.name for d in at.drawings if d.kind == "matrix" and not d.leads}
            assert parts <= {*result(at).provenance["inputs"]}


def explorer_words(explorer):
    """The words that its model has read, and written."""
    target = explorer.controls.get("target")
    source = explorer.controls["source"].value.split()
    written = (target.value if target else explorer.controls["source"].value).split()
    sides = [source] if target else []
    writes = any("decoder" in step.path for step in explorer._always["way"].steps)
    return [*sides, [jobs.SOS, *written] if writes else written]


def test_all_tensors_of_a_pass_are_steps_of_it_and_all_steps_are_on_the_way():
    model = model_of(Transformer)
    way = walk(model)._always["way"]
    with record(model) as tensors:
        model(torch.tensor([[3, 4]]), torch.tensor([[0, 3]]))
    names = {way.steps[n - 1].name(layer or 1) for n, layer in way.pass_()}
    pointers = {tensors[n].data_ptr() for n in names & tensors.keys()}
    lost = [n for n, x in tensors.items() if x.data_ptr() not in pointers]
    assert lost == []
    between = {n.rpartition(".")[-1] for n in names - tensors.keys()}
    assert between == {"joined", "probabilities"}


@pytest.mark.parametrize("kind", KINDS)
def test_back_gives_the_same_pictures_as_forth(kind):
    explorer = walk(model_of(kind))
    forth = [at.text() for at in all_steps(explorer)]
    back = [explorer.text()]
    for _ in forth[1:]:
        explorer.go(-1)
        back.append(explorer.text())
    assert back[::-1] == forth
    assert len({*forth}) == len(forth)


def test_next_goes_through_every_layer_of_one_stack_before_the_next():
    explorer = walk(model_of(Transformer))
    seen = [
        f"{at.settings['step']}.{at.settings['layer']}" for at in all_steps(explorer)
    ]
    places = [tuple(at.values()) for at in explorer.way]
    encoder, decoder = (
        [layer for n, layer in places if low <= n <= high]
        for low, high in ((4, 17), (21, 43))
    )
    assert encoder == [1] * 14 + [2] * 14
    assert sorted(decoder) == decoder
    assert {*decoder} == {1, 2, 3}
    assert len({*seen}) == len(seen)


def test_only_what_is_shown_is_built_of_what_is_wide():
    sizes = {"d_model": 64, "n_heads": 2, "d_ff": 256}
    explorer = walk(
        model_of(Transformer, **sizes), step="decoder.blocks.2.feed_forward"
    )
    wide = {n: x.shape for n, x in explorer.values.items() if max(x.shape) > 64}
    hidden = "decoder.blocks.2.feed_forward.hidden"
    matrix = "decoder.blocks.2.feed_forward.W_2[:8]"
    assert wide == {hidden: (6, 256), matrix: (256, 8)}
    shown = {d.name: len(d.columns) for d in explorer.drawings if d.kind == "matrix"}
    assert max(shown.values()) == 8


def test_what_a_tensor_was_made_of_says_in_which_step_it_was_computed():
    explorer = trained(step="decoder.blocks.0.cross_attention.scores")
    parts = [d for d in explorer.drawings if d.kind == "matrix" and not d.leads]
    said = [(d.title, d.formula, *d.provenance["labels"]) for d in parts]
    assert said == [
        ("q", "of step 31", "computed in step 31"),
        ("k", "of step 32", "computed in step 32"),
    ]
    for n, title in ((31, "q, head 1"), (32, "k, head 1")):
        explorer.controls["step"].value = n
        assert result(explorer).title == title
    steps = explorer._always["way"].steps
    of_block = walk(model_of(Transformer), step="decoder.blocks.1.self_attention.q")
    [x] = [d for d in of_block.drawings if d.kind == "matrix" and not d.leads]
    assert x.formula == "of step 44, layer 1"
    assert steps[43].name(1) == "decoder.blocks.0.add_norm_3.norm"


def test_of_what_is_made_of_several_tables_only_the_result_shows_its_numbers():
    """Three tables of numbers once had to stand in letters of 10 pixels."""
    sizes = {}
    for at in all_steps(trained()):
        *parts, made = (d for d in at.drawings if d.kind == "matrix")
        assert made.size in ("large", "small")
        sizes[at.settings["step"]] = [d.size for d in parts]
    several = [each for each in sizes.values() if each.count("tiny")]
    assert all(each in (["tiny", "tiny"], ["tiny"] * 4) for each in several)
    assert ["small", "small", "small"] in sizes.values()  # x, and a number for each row
    assert ["small"] in sizes.values()


def test_vectors_that_are_added_have_as_many_decimals_as_their_sum():
    made = walk(model_of(DecoderOnlyTransformer), step=3)
    tables = [d for d in made.drawings if d.kind == "matrix"]
    assert [d.title for d in tables] == ["embedding", "positions", "sum"]
    assert {d.digits for d in tables} == {1}
    assert {d.axes for d in tables} == {("token", "feature")}


def test_a_number_is_called_by_its_title_and_a_weight_a_share():
    explorer = trained(step="decoder.blocks.0.cross_attention.scores", head=2)
    scores = result(explorer)
    assert scores.sentence == f"{scores.title}: “{{row}}”, key “{{column}}”"
    explorer.go(1)
    weights = result(explorer)
    assert weights.title.startswith("weights")
    assert weights.sentence == SHARES["sentence"]


# ── the token, and the model ─────────────────────────────────────────────────────
def test_a_tokens_row_is_marked_in_every_step_and_its_vector_above_each_box():
    model = copy.deepcopy(jobs.trained()).double()
    explorer = walk(model, token=2)
    with torch.no_grad(), record(model) as tensors:
        ids = [torch.tensor([VOCABULARY.encode(w)]) for w in explorer_words(explorer)]
        model(*ids)
    for at in all_steps(explorer):
        for d in at.drawings:
            assert getattr(d, "followed", 1) == 1
    boxes = explorer.values["model"]
    norm = tensors["encoder.blocks.0.add_norm_2"][0, 1, :8]
    np.testing.assert_array_equal(boxes[5], norm)
    ends = tensors["decoder.blocks.0.add_norm_3"][0, 1, :8]
    np.testing.assert_array_equal(boxes[-3], ends)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (f"{CROSS}.weights", "“AI” looks most at “"),
        ("probabilities", "after “AI”: “"),
        (f"{CROSS}.scores", ""),
        ("target.input", ""),
    ],
)
def test_weights_and_probabilities_conclude_with_their_largest(step, said):
    found = result(trained(step=step))
    assert found.concludes
    assert found.note.startswith(said)
    assert bool(found.note) == bool(said)


@pytest.mark.parametrize("compare", COMPARED)
def test_a_patched_step_says_what_was_patched_and_what_that_has_changed(compare):
    given = {"patches": REMOVED, "compare": compare}
    begins = "decoder block 1, heads patched: "
    note = result(trained(step=f"{CROSS}.weights", **given)).note
    assert note.startswith(f"{begins}“AI” looks most at “")  # it comes before the patch
    assert note.endswith(", as before")
    note = result(trained(step="decoder.blocks.0.feed_forward", **given)).note
    assert re.fullmatch(f"{begins}“AI” has moved by [0-9]+ % of its length", note)
    note = result(trained(step=f"{CROSS}.q", **given)).note
    assert note == f"{begins}“AI” has not moved"
    assert not result(trained(step=f"{CROSS}.joined", **given)).note  # not recorded
    note = result(trained(step="probabilities", patches={})).note
    assert note.startswith("no tensors patched: after “AI”: “")


def test_how_far_a_vector_has_moved_is_measured_over_all_its_features():
    explorer = trained(step="decoder.blocks.0.feed_forward", patches=REMOVED)
    model, seen = jobs.trained(), []
    ids = [torch.tensor([VOCABULARY.encode(w)]) for w in explorer_words(explorer)]
    for changes in ({}, REMOVED):
        with torch.no_grad(), patch(model, changes), record(model) as tensors:
            model(*ids)
        seen.append(tensors["decoder.blocks.0.feed_forward"][0, -1])
    was, now = seen
    share = float((now - was).norm() / was.norm())
    assert result(explorer).note.endswith(f"by {100 * share:.0f} % of its length")


def test_a_shape_is_in_one_line_with_its_brackets():
    note = trained(step=HEADS).drawings[0].note
    assert "(B,\u00a0H,\u00a0T,\u00a0d_k)" in note


def test_the_features_that_are_shown_can_be_any_and_say_which_they_are():
    explorer = trained(step="encoder.blocks.0.add_norm_1.norm", token=2)
    every = {int(label) for label in result(explorer).columns}
    for first in (9, 17, 25):
        explorer.controls["feature"].value = first
        seen = result(explorer)
        assert seen.columns == tuple(str(n) for n in range(first, first + 8))
        assert f"features {first} to {first + 7} of 32" in explorer.drawings[0].note
        every |= {int(label) for label in seen.columns}
        model = explorer.values["model"]
        np.testing.assert_array_equal(model[3], explorer.values[seen.name][1])
        assert explorer.drawings[0].first == first
    assert every == {*range(1, 33)}
    most = explorer.controls["feature"].max
    explorer.controls["feature"].value = most  # of the 64 hidden units
    assert result(explorer).columns[-1] == "32"
    explorer.controls["step"].value = 14
    assert result(explorer).columns[-1] == "64"
    with pytest.raises(ValueError, match="feature must be 1 to 57, got 58"):
        trained(feature=most + 1)


def test_what_has_not_been_computed_yet_has_no_vector():
    explorer = walk(model_of(Transformer), step="encoder.blocks.0.add_norm_1.norm")
    known = ~np.isnan(explorer.values["model"]).all(axis=1)
    assert known.tolist() == [True] * 4 + [False] * 12


@pytest.mark.parametrize("kind", [*KINDS])
@pytest.mark.parametrize("norm_first", [False, True])
def test_no_strip_lies_over_a_frame_or_a_way_across(kind, norm_first):
    """The strip of "+ positions" once lay over the foot of its stack's frame."""
    plan = Way(model_of(kind, norm_first=norm_first)).plan()
    across = [
        (min(a, c), max(a, c), b)
        for wire in plan.wires
        for (a, b), (c, d) in pairwise(wire.points)
        if b == d
    ]
    for x, y, wide, high in plan.frames:
        across += [(x, x + wide, y), (x, x + wide, y + high)]
    for x, y, wide, high, *_ in plan.boxes:
        top = y - STRIP * (high / SHARE - high)
        for left, right, at in across:
            beside = right <= x + 0.8 or left >= x + wide - 0.8
            assert beside or not top - 0.05 < at < y


def test_a_shorter_sentence_is_followed_at_its_last_word():
    explorer = trained()
    assert result(explorer).followed == 4
    explorer.controls["source"].value = "Mia works"
    assert result(explorer).followed == 1
    explorer.controls["step"].value = 18
    assert result(explorer).followed == 5
    read = trained(target="Mia", step="encoder.blocks.0.self_attention.q")
    assert result(read).followed == 4


def test_a_token_can_be_chosen_where_there_is_one_and_the_last_stays_the_last():
    explorer = trained(step="decoder.blocks.0.cross_attention.weights", source="Mia")
    token, step = (explorer.controls[name] for name in ("token", "step"))
    assert (token.value, token.max) == (6, 6)
    step.value = 1
    assert (token.value, token.max) == (1, 2)  # one place is no slider
    step.value = 35
    assert (token.value, token.max) == (6, 6)
    token.value = 4
    explorer.controls["target"].value = "Ajish works as"
    assert (token.value, token.max) == (4, 4)
    token.value = 2
    explorer.controls["target"].value = START
    assert (token.value, token.max) == (2, 6)
    explorer.controls["target"].value = "a dentist"
    assert (token.value, token.max) == (2, 6)
    explorer.reset()
    assert (token.value, token.max) == (6, 6)


def test_a_box_that_is_chosen_leads_to_its_first_step_and_a_step_to_itself():
    explorer = walk(model_of(Transformer), layer=2)
    model = explorer.drawings[0]
    for row, (first, last) in enumerate(model.steps):
        explorer.choose("model", row, 0)
        assert explorer.controls["step"].value == first
        assert explorer.drawings[0].lit == row
        explorer.choose("model", row, 2)
        assert explorer.controls["step"].value == min(last, first + 1)
    assert explorer.controls["layer"].value == 2
    with pytest.raises(ValueError, match="box must be 0 to 15, got 16"):
        explorer.choose("model", 16, 0)


# ── sentences ────────────────────────────────────────────────────────────────────
def test_an_unknown_word_is_refused_in_a_line_and_the_last_good_picture_stays():
    explorer = trained(step=9)
    before = explorer.text()
    explorer.controls["source"].value = "Ajish works as a dentist"
    assert "got 'dentist'" in explorer.view.message
    assert explorer.text() == before
    explorer.controls["source"].value = "Mia works as an AI"
    assert explorer.view.message == ""
    assert result(explorer).rows[0] == "Mia"


def test_two_sentences_that_cannot_be_read_are_both_told():
    explorer = trained()
    explorer.controls["source"].value = "Ajish works as a dentist"
    explorer.controls["target"].value = "a pilot"
    for word in ("'dentist'", "'pilot'"):
        assert word in explorer.view.message


def test_what_is_written_begins_with_the_sign_for_a_start_given_or_not():
    given, bare = (trained(target=t, step=20) for t in (f"{jobs.SOS} {START}", START))
    assert result(given).rows == result(bare).rows == (jobs.SOS, *START.split())
    longest = " ".join(["Ajish"] * 9)
    with pytest.raises(ValueError, match="target must have at most 9 words, got 10"):
        trained(target=longest)


def test_a_pass_is_made_once_while_nothing_changes(monkeypatch):
    made = []
    real = passes.record
    monkeypatch.setattr(passes, "record", lambda m: made.append(m) or real(m))
    explorer = trained()
    for at in all_steps(explorer):
        at.controls["head"].value = 1 + at.controls["head"].value % 4
    assert len(made) == 1
    explorer.controls["target"].value = "Ajish works"
    assert len(made) == 2


def test_a_model_that_has_learned_since_is_walked_as_it_is_now():
    model = model_of(EncoderOnlyTransformer)
    explorer = walk(model, step=9)
    before = explorer.values[result(explorer).name].copy()
    with torch.no_grad():
        model.embedding.weight.mul_(1.5)
    explorer.controls["step"].value = 8
    explorer.controls["step"].value = 9
    judge_drawn(explorer, 1e-9)
    assert not np.allclose(explorer.values[result(explorer).name], before)


def test_dropout_is_out_of_the_pass_and_the_model_is_left_in_training():
    model = model_of(EncoderOnlyTransformer, dropout=0.5).train()
    assert walk(model, step=15).text() == walk(model, step=15).text()
    assert all(part.training for part in model.modules())


# ── what was replaced ────────────────────────────────────────────────────────────
def test_what_is_replaced_is_compared_with_what_was_step_by_step():
    model = copy.deepcopy(jobs.trained()).double()
    explorer = walk(model, patches=REMOVED, compare="difference", head=2)
    ids = [torch.tensor([VOCABULARY.encode(w)]) for w in explorer_words(explorer)]
    with torch.no_grad(), record(model) as before:
        model(*ids)
    with torch.no_grad(), patch(model, REMOVED), record(model) as after:
        model(*ids)
    changed = []
    for at in all_steps(explorer):
        judge_drawn(at, 1e-9)
        step = at._always["way"].steps[at.settings["step"] - 1]
        name = step.name(1)
        if name in after and name != "logits":
            apart = (after[name] - before[name]).reshape(-1, *after[name].shape[-2:])
            own = apart[1 if step.of_heads else 0][:, :8]
            np.testing.assert_array_equal(at.values["difference"], own)
        changed.append(bool(np.abs(at.values["difference"]).max() > 0))
    first = changed.index(True)
    assert explorer._always["way"].steps[first].path.endswith("cross_attention.heads")
    after = zip(explorer._always["way"].steps[first:], changed[first:], strict=True)
    same = [step.said.chip for step, has_changed in after if not has_changed]
    assert same == ["joined"]  # its first features are those of head 1


def test_the_difference_of_an_edge_that_was_cut_is_shown():
    cross = "decoder.blocks.0.cross_attention"
    patches = {f"{cross}.scores": lambda scores: cut(scores, key=4)}
    look = {"compare": "difference", "step": f"{cross}.weights", "head": 2}
    explorer = trained(patches=patches, **look)
    seen = explorer.drawings[-1]
    assert seen.name == "difference"
    assert not np.asarray(seen.hidden).any()  # it was not hidden before
    assert (explorer.values["difference"][:, 4] < 0).all()
    assert seen.formula == "patched − unpatched"  # and not how the two were made
    # What is compared stands above it, as small maps: the change draws the eye.
    assert [d.size for d in explorer.drawings[-3:]] == ["tiny", "tiny", "large"]


def cut(scores, key):
    return scores.index_fill(-1, torch.tensor(key), -torch.inf)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("compare", ["patched", "both", "difference"])
@pytest.mark.parametrize("number", [torch.nan, torch.inf])
def test_what_is_no_number_is_shown_and_the_rest_is_explained_as_ever(number, compare):
    def spoilt(x):
        return x.index_fill(-2, torch.tensor(0), number)

    patches = {"encoder.blocks.0.feed_forward": spoilt}
    explorer = trained(patches=patches, compare=compare, target="Mia")
    for step in (16, 17, 32, 34, 36, 46, 15):
        explorer.controls["step"].value = step
        assert explorer.view.message == ""
    if compare == "patched":  # the step that was patched, in its first row
        made = result(explorer).provenance
        assert (made["op"], made["changed"]) == ("matmul", [0])


def test_both_passes_stand_side_by_side_and_the_box_of_the_patch_is_marked():
    explorer = trained(patches=REMOVED, step=HEADS, head=2)
    after, before = (d for d in explorer.drawings if d.kind == "matrix")
    assert (explorer.values[after.name] == 0).all()
    assert np.abs(explorer.values[before.name]).min() > 0
    assert after.title == "average, head 2, patched"
    assert before.title == "average, head 2, unpatched"
    model = explorer.drawings[0]
    assert [model.layout.boxes[n].words for n in model.marked] == ["cross-attention"]
    assert model.note.startswith("≠")
    assert "≠" not in trained().drawings[0].note
    later = [model.layout.boxes[n].words for n in model.changed]
    assert later[0] == "cross-attention"  # and all that follow it, once without a sign
    assert later[1:4] == ["Add & Norm", "feed-forward", "Add & Norm"]
    assert len(later) == len(model.layout.boxes) - model.changed[0]
    explorer.controls["compare"].value = "patched"
    titles = [d.title for d in explorer.drawings if d.kind == "matrix"]
    assert titles == ["weights", "v", "average, head 2"]
    explorer.controls["compare"].value = "difference"
    titles = [d.title for d in explorer.drawings if d.kind == "matrix"]
    whose = ("patched", "unpatched", "difference")
    assert titles == [f"average, head 2, {said}" for said in whose]


def test_a_name_that_no_pass_meets_is_refused_with_the_nearest():
    with pytest.raises(KeyError, match="near it"):
        trained(patches={"decoder.blocks.0.cross_attention.head": torch.zeros_like})


# ── playing ──────────────────────────────────────────────────────────────────────
@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setitem(player.PACES, "2 s each", 0.0)


async def turns(count):
    for _ in range(count):
        await asyncio.sleep(0)


def test_playing_goes_to_the_end_and_stops_there_and_then_begins_anew(quick):
    async def played():
        explorer = walk(model_of(EncoderOnlyTransformer))
        explorer.play()
        await asyncio.wait_for(explorer._task, 60)
        assert explorer.at == len(explorer.way) - 1
        assert explorer._play.description == "Play"
        explorer.play()
        assert explorer.at == 0
        explorer.stop()

    in_a_loop(played())


@pytest.mark.parametrize("touch", ["head", "source", "pin", "Back", "Reset", "pace"])
def test_playing_stops_when_anything_is_touched(touch, quick):
    async def played():
        explorer = walk(model_of(EncoderOnlyTransformer), step=6, head=2)
        explorer.play()
        assert explorer._play.description == "Stop"
        await turns(3)
        assert explorer.at > 5
        {
            "head": lambda: explorer.controls["head"].set_trait("value", 1),
            "source": lambda: explorer.controls["source"].set_trait("value", "Mia"),
            "pin": lambda: setattr(explorer.view, "pin", {"panel": "model"}),
            "Back": lambda: explorer._buttons[0].click(),
            "Reset": explorer.reset,
            "pace": lambda: explorer._pace.set_trait("value", "4 s each"),
        }[touch]()
        here = explorer.at
        await turns(6)
        assert explorer.at == here
        assert explorer._play.description == "Play"

    in_a_loop(played())


def test_a_reset_stops_it_before_its_first_step_too(quick):
    """Nothing had moved, so nothing changed, and it went on playing."""

    async def played():
        explorer = walk(model_of(EncoderOnlyTransformer))
        explorer.play()
        explorer.reset()
        await turns(3)
        assert explorer.at == 0
        assert explorer._play.description == "Play"

    in_a_loop(played())


# ── what is refused, and what is kept ────────────────────────────────────────────


READER = model_of(EncoderOnlyTransformer)


@pytest.mark.parametrize(
    ("arguments", "error", "naming"),
    [
        ((torch.nn.Linear(2, 2), VOCABULARY, "Mia"), TypeError, "model must be"),
        ((READER, ["Mia"], "Mia"), TypeError, "vocabulary must be"),
        ((READER, Vocabulary(["a"]), "a"), ValueError, "be the 32 words of the model"),
        ((READER, VOCABULARY, "Mia", "Mia"), ValueError, "target must not be given"),
        ((model_of(KINDS[2]), VOCABULARY, "Mia"), ValueError, "target must be given"),
        ((READER, VOCABULARY, "c"), ValueError, "the model knows, .* got 'c'"),
        ((READER, VOCABULARY, ""), ValueError, "source must hold 1 to 9 words"),
    ],
)
def test_what_it_cannot_walk_is_refused_with_its_name(arguments, error, naming):
    with pytest.raises(error, match=naming):
        explorers.walk(*arguments)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("positions", "rotary"),
        ("norm", "rms"),
        ("gated", True),
        ("qk_norm", True),
        ("n_kv_heads", 1),
    ],
)
def test_a_block_that_it_does_not_explain_is_refused_by_its_option(option, value):
    model = model_of(KINDS[1], **{option: value})
    with pytest.raises(
        ValueError, match=rf"model.config.{option} must be .* got '?{value}"
    ):
        walk(model)


def test_every_activation_has_its_name_in_the_formula():
    for activation, words in (("relu", "ReLU("), ("gelu", "GELU("), ("silu", "SiLU(")):
        way = Way(model_of(KINDS[1], activation=activation))
        hidden = next(one for one in way.steps if one.path.endswith("hidden"))
        assert hidden.formula(way.model.config).startswith(words)


@pytest.mark.parametrize(
    ("option", "naming"),
    [
        ({"step": 47}, "step must be 1 to 46, got 47"),
        (
            {"step": "decoder.blocks.1.norm"},
            "step must be a number or a recorded name such as .'",
        ),
        ({"step": "???"}, r"such as \['source.embedding', 'source.positions'"),
        ({"head": 5}, "head must be 1 to 4, got 5"),
        ({"token": 6}, "token must be 1 to 5, got 6"),
        ({"patches": REMOVED, "compare": "all"}, "compare must be one of"),
    ],
)
def test_a_place_that_is_not_there_is_refused(option, naming):
    with pytest.raises(ValueError, match=naming):
        trained(**option)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("norm_first", [False, True])
def test_its_picture_at_rest_is_at_most_1000_pixels_tall(kind, norm_first):
    options = {"norm_first": norm_first, "final_norm": True, "d_model": 16}
    explorer = walk(model_of(kind, **options), patches={})
    for compare in explorer.controls["compare"].options:
        explorer.controls["compare"].value = compare
        for n in range(1, explorer.controls["step"].max + 1, 8):
            explorer.controls["step"].value = n
            picture = explorer.picture()
            assert picture.get_size_inches()[1] * picture.dpi <= 1000


def test_at_rest_a_vector_stands_on_its_box_and_words_lie_in_theirs(body):
    explorer = walk(
        model_of(Transformer), step="decoder.blocks.0.self_attention.weights"
    )
    drawing = explorer.drawings[0]
    words, boxes = body(drawing, explorer.values)
    vectors = explorer.values[drawing.name]
    cells = [box for box, style in boxes if style["linewidth"] < 0.5]
    gap = drawing.layout.boxes[0].y - (
        drawing.layout.boxes[1].y + drawing.layout.boxes[1].high
    )
    for box, row in zip(drawing.layout.boxes, vectors, strict=True):
        if np.isnan(row).all():
            continue
        own, cells = cells[: len(row)], cells[len(row) :]
        x, y, wide, high = np.array(own).T
        assert np.allclose(np.diff(x), wide[1:])
        assert x[0] > box.x
        assert np.allclose(x[0] - box.x, box.x + box.wide - (x[-1] + wide[-1]))
        assert (high > 0).all()
        assert np.allclose(y + high, box.y)
        assert (high < gap / 2).all()  # above it there is a tip
    assert not cells
    left, top, _ = drawing.layout.inside
    inside = [box for box, _ in boxes if box[3] < drawing.layout.boxes[0].high]
    named = {w.text: (w.x, w.y) for w in words if w.align == 0.5}
    assert len(drawing.inside) > 1
    for name, _ in drawing.inside:
        x, y = named[name]
        assert any((x, y) == (a + c / 2, b + d / 2) for a, b, c, d in inside)
    lines = [w.y for w in words if w.x == left and w.y > top]
    assert lines == sorted(lines)
    assert lines[0] == top + 0.8
    assert len(lines) == 1 + len(textwrap.wrap(drawing.what, 30))


def test_beyond_the_last_layer_of_a_shorter_stack_its_last_is_shown():
    model = model_of(Transformer)  # 2 and 3 layers
    for n, step in enumerate(Way(model).steps, start=1):
        if step.stack == "encoder":
            shown = [walk(model, step=n, layer=layer).drawings for layer in (2, 3)]
            said = [[(d.title, d.formula) for d in drawn[1:]] for drawn in shown]
            assert said[0] == said[1]


def test_a_stack_of_one_layer_counts_none():
    explorer = walk(model_of(Transformer, n_encoder_layers=1))
    ends = explorer.drawings[0].ends
    assert "encoder: 1 layer" in ends
    assert "decoder: layer 1 of 3" in ends


def test_boxes_lie_apart_and_no_way_leaves_the_plan():
    for kind in KINDS:
        for norm_first in (False, True):
            model = model_of(kind, norm_first=norm_first)
            plan = walk(model).drawings[0].layout
            wide, high = plan.size
            for n, a in enumerate(plan.boxes):
                assert 0 <= a.x < a.x + a.wide <= wide
                assert 0 <= a.y < a.y + a.high <= high
                for b in plan.boxes[:n]:
                    assert a.x != b.x or abs(a.y - b.y) > a.high + 0.5
            x, _, room = plan.inside
            assert all(x + room + 0.5 < frame[0] for frame in plan.frames[1:])
            for points, *_ in plan.wires:
                assert all(0 <= x <= wide and 0 <= y <= high for x, y in points)
            past = [w.points for w in plan.wires if len(w.points) == 4 and not w.hue]
            for (middle, foot), _, (_, top), _ in past:  # past a sub-layer and its norm
                own = [b for b in plan.boxes if b.x + b.wide / 2 == middle]
                passed = [b for b in own if top < b.y + b.high / 2 < foot]
                assert len(passed) == 1 + norm_first
            memory = [w.points for w in plan.wires if w.hue in ("key", "value")]
            assert len(memory) == 2 * (kind is Transformer)
            for (x, _), (turn, _), _, (
                end,
                _,
            ) in memory:  # the reader's box, a writer's
                assert (x, end) == (plan.boxes[0].x + a.wide, a.x)
                assert x < turn < end
            out = [w.points for w in plan.wires if w.points[-1][1] < plan.boxes[-1].y]
            assert [[x for x, _ in points] for points in out] == [
                [a.x + a.wide / 2] * 2
            ] * (kind is not EncoderOnlyTransformer)  # which writes no word
