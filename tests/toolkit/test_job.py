"""Long work: the same however it was interrupted, and nobody has to wait for it."""

import asyncio
import io
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import tqdm.std
from loop import in_a_loop
from torch import nn

import course.explorers  # noqa: F401 (registers what torch isolates from a program)
from explorable import Job, Sheet, job, lifetime
from explorable.controls import stops, switch
from explorable.drawings.bars import Bars
from explorable.steps import Steps
from transformer_lib.runtime.patching import patch
from transformer_lib.training import fit_steps

COUNT = 40


def training(*, seed, count=COUNT):
    """A network with dropout learns y = 3x: its weights and losses after each step."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(1, 8), nn.Dropout(0.5), nn.Linear(8, 1))

    def batch(draw):
        return torch.rand(16, 1, generator=draw)

    def loss(x):
        return (model(x) - 3 * x).square().mean()

    losses = []
    fitting = fit_steps(model, batch, loss, count, seed=seed)
    yield [], model[0].weight.detach().clone()
    for new in fitting:
        losses = [*losses, new]
        yield losses, model[0].weight.detach().clone()


def sheet(found, *, seed, double):
    losses, weights = found
    s = Sheet()
    drawing = Bars(
        name="weights",
        formula=f"after {len(losses)} steps, draw {seed}",
        labels=[str(n) for n in range(8)],
        scale=(-9.0, 9.0),
    )
    s.draw(drawing, (1 + double) * weights.double().numpy())
    return s


def choosy(found, *, seed, double):
    if double:
        raise ValueError("double must be off")
    return sheet(found, seed=seed, double=double)


def lab(work=training, function=sheet, count=COUNT):
    controls = {"seed": stops("seed", range(4), 0), "double": switch("double", False)}
    return Job("lab", function, work, count, controls)


def slow(*, seed):
    """Steps that take 2 ms each and go nowhere."""
    for found in training(seed=seed, count=1):
        start = found
    for n in range(2001):
        time.sleep(0.002 * (n > 0))
        yield [0.0] * n, start[1]


def same(one, other):
    return one[0] == other[0] and torch.equal(one[1], other[1])


@pytest.fixture
def watched(monkeypatch):
    """A page looks on: it has run the cell that makes the explorers of this test."""
    header = {"metadata": {"cellId": "a"}, "header": {"msg_id": "1"}}
    kernel = SimpleNamespace(parent_header=header)
    monkeypatch.setattr(lifetime, "get_ipython", lambda: kernel)


@pytest.fixture
def a_step_a_turn(monkeypatch):
    """The page is heard after each step: on a fast machine all 40 fit into a turn."""
    monkeypatch.setattr(job, "TURN", 0)


@pytest.fixture
def untouched():
    """Torch is left as it was, whatever a test does to it."""
    state, dtype = torch.get_rng_state(), torch.get_default_dtype()
    threads = torch.get_num_threads()
    yield
    torch.set_grad_enabled(True)
    torch.set_num_threads(threads)
    torch.set_default_dtype(dtype)
    torch.set_rng_state(state)


def disturb(n):
    """What the cells of a reader may do meanwhile."""
    torch.manual_seed(n)
    torch.rand(n + 1)
    torch.set_default_dtype([torch.float64, torch.float32][n % 2])
    torch.set_num_threads(1 + n % 2)
    torch.set_grad_enabled(n % 3 > 0)


def whole(seed=0):
    steps = Steps(training(seed=seed))
    steps.take(60)
    assert steps.is_over
    return steps.found


async def until(explorer, done, seconds=20):
    deadline = time.monotonic() + seconds
    while not done(explorer):
        assert time.monotonic() < deadline, "it takes too long"
        await asyncio.sleep(0.002)


def is_over(explorer):
    return explorer._steps.is_over


def has_taken(count):
    return lambda explorer: explorer._steps.taken >= count


def button(explorer):
    return explorer._button.description


# ── the same result ────────────────────────────────────────────────────────────
@pytest.mark.parametrize("pauses", [range(COUNT), [0], [1, 2], [COUNT - 1], [17]])
def test_steps_come_to_the_same_wherever_they_are_stopped(pauses, untouched):
    expected = whole()
    steps = Steps(training(seed=0))
    for n in range(COUNT + 1):
        if n in pauses:
            disturb(n)
        steps.take(0)
    assert steps.is_over
    assert steps.taken == COUNT
    assert same(steps.found, expected)


def test_steps_leave_torch_to_the_program_as_it_was(untouched):
    for n in range(3):
        disturb(n)
        before = torch.get_rng_state()
        settings = torch.get_default_dtype(), torch.get_num_threads()
        grad = torch.is_grad_enabled()
        Steps(training(seed=0)).take(0)
        assert torch.equal(torch.get_rng_state(), before)
        assert (torch.get_default_dtype(), torch.get_num_threads()) == settings
        assert torch.is_grad_enabled() == grad


def test_steps_take_at_least_one_and_then_only_while_there_is_time():
    steps = Steps(slow(seed=0))
    assert steps.taken == 0
    steps.take(0)
    assert steps.taken == 1
    began = time.monotonic()
    steps.take(0.05)
    assert steps.taken > 2
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("stops_at", [[1], [5, 6, 30], [39]])
def test_stop_and_go_on_come_to_the_same_to_the_bit(
    stops_at, watched, untouched, a_step_a_turn
):
    expected = whole()

    async def read():
        explorer = lab()
        for n in stops_at:
            await until(explorer, has_taken(n))
            explorer._button.click()
            assert button(explorer) == "Go on"
            taken = explorer._steps.taken
            disturb(n)
            await asyncio.sleep(0.02)
            assert explorer._steps.taken == taken
            explorer._button.click()
            assert button(explorer) == "Stop"
        await until(explorer, is_over)
        return explorer

    explorer = in_a_loop(read())
    assert same(explorer.finish(), expected)
    np.testing.assert_array_equal(explorer.values["weights"], expected[1].double())


def test_two_at_once_do_not_disturb_each_other(watched):
    async def read():
        both = lab(), lab()
        both[1].controls["seed"].value = 3
        await until(both[0], is_over)
        await until(both[1], is_over)
        return both

    one, other = in_a_loop(read())
    assert same(one.finish(), whole(0))
    assert same(other.finish(), whole(3))


# ── who looks on ───────────────────────────────────────────────────────────────
def test_a_script_is_shown_the_end_at_once():
    explorer = lab()
    assert is_over(explorer)
    assert "after 40 steps" in explorer.text()
    explorer.controls["seed"].value = 2
    assert "after 40 steps, draw 2" in explorer.text()
    assert same(explorer.finish(), whole(2))


def test_where_all_steps_are_taken_at_once_the_bar_says_so():
    """In Voilà the button was empty, and the bar stood at 0 %."""
    explorer = lab()
    assert button(explorer) == "Finished"
    assert explorer._progress.n == COUNT


def test_a_program_that_executes_a_notebook_is_shown_the_end_too(monkeypatch):
    """Its kernel has a loop that runs, and nobody looks on."""
    kernel = SimpleNamespace(parent_header={"metadata": {}, "header": {"msg_id": "1"}})
    monkeypatch.setattr(lifetime, "get_ipython", lambda: kernel)

    async def read():
        return lab()._repr_mimebundle_()[0]["text/plain"]

    assert "after 40 steps" in in_a_loop(read())


def test_a_page_gets_its_cell_back_before_the_first_step(watched):
    async def read():
        explorer = lab()
        assert explorer._steps.taken == 0
        assert "after 0 steps" in explorer.text()

    in_a_loop(read())


def test_the_last_picture_in_a_page_is_the_end_and_the_notebook_keeps_it(watched):
    async def read():
        explorer = lab()
        assert explorer._tools.end == {}
        await until(explorer, is_over)
        return explorer

    explorer = in_a_loop(read())
    kept = explorer._tools.end
    assert kept["of"] == explorer.model_id
    assert kept["data"]["text/plain"] == explorer.text()
    assert "after 40 steps" in explorer.text()
    assert "after 40 steps" in kept["metadata"]["image/png"]["alt"]
    assert kept["data"].keys() == {"image/png", "text/plain"}


def test_an_end_that_cannot_be_kept_says_so(watched, monkeypatch):
    """The page said "Finished", and the notebook was saved without its picture."""

    def fail(_):
        raise RuntimeError("no picture at rest")

    async def read():
        explorer = lab()
        monkeypatch.setattr(Job, "at_rest", fail)
        await until(explorer, lambda explorer: explorer.view.message)
        return explorer

    explorer = in_a_loop(read())
    assert explorer.view.message == "RuntimeError: no picture at rest"
    assert button(explorer) == "Finished"


def test_a_cell_that_needs_the_end_takes_the_steps_that_are_left(
    watched, a_step_a_turn
):
    async def read():
        explorer = lab()
        await until(explorer, has_taken(3))
        found = explorer.finish()
        assert "after 40 steps" in explorer.text()
        return found

    assert same(in_a_loop(read()), whole())


# ── nobody waits ───────────────────────────────────────────────────────────────
def test_the_kernel_hears_others_while_the_work_goes(watched):
    async def read():
        explorer = lab(slow)
        gaps, before = [], time.monotonic()
        while explorer._steps.taken < 200:
            await asyncio.sleep(0)
            gaps.append(time.monotonic() - before)
            before = time.monotonic()
        explorer.stop()
        return gaps

    gaps = in_a_loop(read())
    assert len(gaps) > 50
    assert np.median(gaps) < 0.01
    assert np.quantile(gaps, 0.9) < 0.2  # a step, a picture, a busy machine


def test_the_picture_follows_the_work_but_no_more_than_a_few_times_a_second(
    watched, monkeypatch
):
    heard = []

    async def read():
        explorer = lab(slow)
        view = explorer.view
        monkeypatch.setattr(view, "show", lambda *_: heard.append(time.monotonic()))
        await asyncio.sleep(1.5)
        explorer.stop()

    in_a_loop(read())
    assert 2 <= len(heard) <= 1.5 / job.BETWEEN + 2


def test_a_control_of_the_picture_alone_answers_and_the_work_goes_on(watched):
    async def read():
        explorer = lab(slow)
        await until(explorer, has_taken(5))
        steps = explorer._steps
        explorer.controls["double"].value = True
        assert explorer.settings["double"] is True
        assert explorer._steps is steps
        assert button(explorer) == "Stop"
        await until(explorer, has_taken(steps.taken + 20))
        explorer.stop()

    in_a_loop(read())


def test_a_control_that_the_work_asks_for_begins_it_anew(watched, a_step_a_turn):
    async def read():
        explorer = lab()
        await until(explorer, has_taken(5))
        explorer.stop()
        explorer.controls["seed"].value = 1
        assert explorer._steps.taken == 0
        assert button(explorer) == "Stop"
        await until(explorer, is_over)
        return explorer

    explorer = in_a_loop(read())
    assert same(explorer.finish(), whole(1))
    assert "after 40 steps, draw 1" in explorer.text()


@pytest.mark.parametrize("moved", [True, False])
def test_reset_and_start_again_begin_anew_once(moved, watched):
    begun = []

    def work(*, seed):
        begun.append(seed)
        return training(seed=seed)

    async def read():
        explorer = lab(work)
        if moved:
            explorer.controls["seed"].value = 2
        await until(explorer, is_over)
        assert button(explorer) == "Finished"
        explorer._button.click()  # which does nothing now
        assert button(explorer) == "Finished"
        explorer.reset()
        assert button(explorer) == "Stop"
        await until(explorer, is_over)
        explorer.start_again()
        assert explorer._steps.taken == 0
        await until(explorer, is_over)
        return explorer

    assert same(in_a_loop(read()).finish(), whole())
    assert begun == [0, *[2] * moved, 0, 0]


def test_closing_stops_the_work_and_showing_it_again_lets_it_go_on(
    watched, a_step_a_turn
):
    async def read():
        explorer = lab()
        await until(explorer, has_taken(2))
        for part in reversed(list(lifetime._parts(explorer))):
            part.close()
        taken = explorer._steps.taken
        await asyncio.sleep(0.05)
        assert explorer._steps.taken == taken < COUNT
        vars(explorer).pop("_repr_mimebundle_", None)
        for part in lifetime._parts(explorer):
            part.open()
        explorer.go_on()
        await until(explorer, is_over)
        return explorer

    assert same(in_a_loop(read()).finish(), whole())


# ── what goes wrong ────────────────────────────────────────────────────────────
def broken(*, seed):
    for n, found in enumerate(training(seed=seed)):
        if n == 12 and seed != 3:
            raise FloatingPointError("the loss\nis no longer finite")
        yield found


def test_a_step_that_fails_says_so_in_one_line_and_the_last_picture_stays(watched):
    async def read():
        explorer = lab(broken)
        await until(explorer, is_over)
        await asyncio.sleep(0.02)
        said = "Step 12 failed: FloatingPointError: the loss is no longer finite"
        assert explorer.view.message == said
        assert button(explorer) == "Failed"
        assert "after 11 steps" in explorer.text()
        explorer.controls["double"].value = True  # the line stays
        assert explorer.view.message == said
        with pytest.raises(FloatingPointError):
            explorer.finish()
        explorer.controls["seed"].value = 3
        assert explorer.view.message == ""
        await until(explorer, is_over)
        return explorer

    assert same(in_a_loop(read()).finish(), whole(3))


def test_a_script_hears_of_a_step_that_fails():
    with pytest.raises(FloatingPointError, match="no longer finite"):
        lab(broken)


def test_a_picture_that_fails_says_so_and_the_work_goes_on(
    watched, a_step_a_turn, monkeypatch
):
    monkeypatch.setattr(job, "BETWEEN", 0)  # every step has a picture
    said = []

    def odd(found, **settings):
        if len(found[0]) in (7, 8):
            raise RuntimeError("no picture")
        return sheet(found, **settings)

    async def read():
        explorer = lab(function=odd)
        explorer.view.observe(lambda change: said.append(change.new), "message")
        await until(explorer, has_taken(6))
        while explorer._steps.taken < 9:
            explorer._changed()
            await asyncio.sleep(0)
        await until(explorer, is_over)
        return explorer

    assert same(in_a_loop(read()).finish(), whole())
    assert said == ["RuntimeError: no picture", ""]


def test_a_refused_control_of_the_picture_stops_neither_it_nor_its_end(
    watched, a_step_a_turn
):
    """A letter that no alphabet holds left a picture of the middle in the notebook."""

    async def read():
        explorer = lab(function=choosy)
        await until(explorer, has_taken(3))
        explorer.controls["double"].value = True
        assert explorer.view.message == "double must be off"
        before = explorer.values["weights"].copy()
        await until(explorer, is_over)
        assert explorer.view.message == "double must be off"
        assert not np.array_equal(explorer.values["weights"], before)
        return explorer

    explorer = in_a_loop(read())
    assert "after 40 steps" in explorer.text()
    assert "double: off" in explorer.text()
    assert explorer._tools.end["data"]["text/plain"] == explorer.text()
    explorer.controls["double"].value = False
    assert explorer.view.message == ""


def test_while_a_setting_is_refused_the_picture_is_of_the_work_under_way(
    watched, a_step_a_turn
):
    async def read():
        explorer = lab(function=choosy)
        await until(explorer, has_taken(3))
        with explorer._held():
            explorer.controls["seed"].value = 2
            explorer.controls["double"].value = True
        explorer._changed()
        assert explorer.view.message == "double must be off"
        assert explorer.settings == {"seed": 2, "double": False}
        explorer.stop()

    in_a_loop(read())


def test_settings_that_the_work_refuses_are_said(watched):
    def work(*, seed):
        if seed == 2:
            raise ValueError("seed must not be 2")
        yield from training(seed=seed)

    async def read():
        explorer = lab(work)
        explorer.controls["seed"].value = 2
        assert explorer.view.message == "seed must not be 2"
        assert button(explorer) == "Go on"
        explorer.controls["seed"].value = 1
        await until(explorer, is_over)
        return explorer

    assert same(in_a_loop(read()).finish(), whole(1))


# ── how far it is ──────────────────────────────────────────────────────────────
def test_the_bar_tells_how_far_the_work_is(watched, a_step_a_turn):
    async def read():
        explorer = lab()
        said, value, text = explorer._progress.container.children
        assert (value.value, value.max, said.value) == (0, 40, "")
        await until(explorer, has_taken(3))
        explorer.stop()
        assert value.value == explorer._steps.taken
        words = text.value.replace("\N{NO-BREAK SPACE}", " ")
        assert words == f"{explorer._steps.taken} of 40 steps"
        explorer.go_on()
        await until(explorer, is_over)
        assert (value.value, value.bar_style) == (40, "success")
        explorer.start_again()
        assert (value.value, value.bar_style) == (0, "")
        explorer.stop()

    in_a_loop(read())


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_a_terminal_has_the_bar_as_text_and_what_is_no_terminal_has_none(
    stream, monkeypatch
):
    heard = stream()
    monkeypatch.setattr(sys, "stderr", heard)
    lab()
    assert ("40/40" in heard.getvalue()) == heard.isatty()


def test_the_bar_leaves_no_thread_behind():
    before = threading.active_count()
    lab()
    assert threading.active_count() == before


def test_work_that_was_interrupted_is_no_finished_work():
    def work():
        yield 0
        raise KeyboardInterrupt

    steps = Steps(work())
    with pytest.raises(KeyboardInterrupt):
        steps.take(1)
    steps.take(1)
    assert isinstance(steps.failure, KeyboardInterrupt)
    assert steps.found == 0


def test_what_the_work_patches_or_switches_off_is_its_own():
    model = nn.Linear(2, 2)
    x = torch.ones(1, 2)
    plain = model(x)

    def work():
        with torch.no_grad(), patch(model, {"output": torch.zeros_like}):
            for _ in range(4):
                yield torch.is_grad_enabled(), bool(model(x).any())

    steps = Steps(work())
    for _ in range(3):
        assert steps.found == (False, False)
        assert model(x).equal(plain)
        assert model(x).requires_grad
        steps.take(0)


def test_work_begun_in_inference_mode_may_still_learn():
    with torch.inference_mode():
        steps = Steps(training(seed=0, count=2))
        steps.take(60)
    assert steps.failure is None


def test_work_without_a_first_item_is_refused():
    with pytest.raises(ValueError, match="work must give an item before its first"):
        Steps(iter([]))


def test_no_bar_starts_a_thread_that_watches_it(monkeypatch):
    monkeypatch.setattr(tqdm.std.tqdm, "monitor", None)
    lab()
    assert tqdm.std.tqdm.monitor is None
