"""A kernel that does not answer: what is said of it, what rests, what comes back."""

import pytest
from playwright.sync_api import expect
from views.page import account

from course import explorers

Q = [[1.0, 0], [0, -1], [1, 1]]
# Python hears nothing until it wakes; or what is said to it is lost for good.
SLEEP = """() => {
    const { kernel } = window;
    window.said = [];
    const busy = new Promise((done) => { window.wake = done; });
    window.kernel = async (id, message) => {
        window.said.push(message.content?.type ?? message.method);
        await busy;
        await kernel(id, message);
    };
}"""
LOSE = """() => {
    const { kernel } = window;
    window.lose = true;
    window.said = [];
    window.kernel = async (id, message) => {
        window.said.push(message.content?.type ?? message.method);
        if (!window.lose) await kernel(id, message);
    };
}"""
# A host that tells what it knows of its kernel, as JupyterLab, Notebook and Voilà do.
HOST = """() => {
    const signal = () => {
        const heard = new Set();
        const emit = (...what) => heard.forEach((act) => act(null, ...what));
        const disconnect = (act) => heard.delete(act);
        return { connect: (act) => heard.add(act), disconnect, emit };
    };
    const kernel = { connectionStatus: "connected", statusChanged: signal(),
        disposed: signal(), connectionStatusChanged: signal() };
    window.manager = { kernel, has_model: () => false };
    window.connection = (status) => {
        kernel.connectionStatus = status;
        kernel.connectionStatusChanged.emit(status);
    };
}"""


@pytest.fixture
def page(clocked_page):
    return clocked_page


@pytest.fixture
def paused(page):
    """The page, whose clock is in the test's hand."""
    page.page.clock.install(time=0)
    page.page.clock.pause_at(1)
    return page


@pytest.fixture
def bench(paused, page):
    made = explorers.attention_bench(Q, Q, Q)
    page.draw(made)
    page.page.clock.run_for(100)
    return made


@pytest.fixture
def hosted(paused, page):
    """The same where the host tells of its kernel."""
    page.page.evaluate(HOST)
    made = explorers.attention_bench(Q, Q, Q)
    page.draw(made)
    page.page.clock.run_for(100)
    return made


def edit(page, text):
    """Type into the first cell of Q, and wait for no answer."""
    page.page.locator("td[data-panel=Q]").first.focus()
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("ControlOrMeta+a")
    page.page.keyboard.insert_text(text)
    page.page.keyboard.press("Enter")


def state(page):
    """What is said above the picture, and whether the controls rest."""
    said = page.page.locator(".tl-message").first.text_content()
    controls = page.page.locator(".tl-controls").first
    return said, controls.evaluate("bar => bar.inert")


def asked(page):
    return page.page.evaluate("window.said.filter((type) => /alive|again/.test(type))")


def test_a_page_at_rest_asks_nothing_and_one_that_is_used_no_more_than_it_must(
    bench, page
):
    page.page.evaluate(SLEEP)
    page.page.evaluate("window.wake()")
    page.page.clock.run_for(600_000)
    assert asked(page) == []
    edit(page, "2")
    page.page.clock.run_for(499)
    assert asked(page) == []
    page.page.clock.run_for(1)
    page.settle()
    page.page.clock.run_for(600_000)
    assert asked(page) == ["alive"]
    assert state(page) == ("", False)


def test_a_busy_kernel_is_named_after_a_second_and_forgotten_when_it_answers(
    bench, page
):
    page.page.evaluate(SLEEP)
    edit(page, "2.5")
    page.page.clock.run_for(950)
    assert state(page) == ("", False)
    page.page.clock.run_for(100)
    assert state(page) == ("Busy: waiting for the kernel.", False)
    page.page.evaluate("window.wake()")
    page.settle()
    assert state(page) == ("", False)
    assert page.shown() == account(bench)
    assert bench.inputs["Q"][0, 0] == 2.5


def test_a_kernel_that_is_busy_for_long_lets_nothing_be_moved_until_it_answers(
    bench, page
):
    page.page.evaluate(SLEEP)
    edit(page, "2.5")
    page.page.clock.run_for(5100)
    said, rests = state(page)
    assert "No answer from the kernel" in said
    assert "run this cell again" in said
    assert rests
    page.page.clock.run_for(60_000)
    assert len(asked(page)) <= 6
    page.page.evaluate("window.wake()")
    page.settle()
    page.settle()
    assert state(page) == ("", False)
    assert page.shown() == account(bench)


def test_a_cell_whose_answer_does_not_come_is_free_again_and_takes_no_other(
    bench, page
):
    page.page.evaluate(LOSE)
    edit(page, "2.5")
    page.page.clock.run_for(5100)
    cell = page.page.locator("td[data-panel=Q]").first
    expect(cell.locator(".tl-fault")).to_contain_text("No answer from the kernel")
    expect(cell.locator(".tl-fault")).to_contain_text("Still 1.")
    before = len(page.page.evaluate("window.said"))
    page.page.keyboard.press("Enter")
    assert "edit" not in page.page.evaluate("window.said")[before:]
    expect(cell.locator("input")).to_be_editable()


def test_what_was_lost_is_told_once_more_when_the_kernel_answers_again(bench, page):
    page.page.evaluate(LOSE)
    edit(page, "2.5")
    page.page.clock.run_for(5100)
    page.page.keyboard.press("Escape")
    with bench.view.hold_sync():  # as if what Python says were lost too
        bench.controls["temperature"].value = 3.0
        page._unheard.clear()
    page._unheard.clear()
    page.page.evaluate("window.lose = false")
    page.page.clock.run_for(20_000)
    for _ in range(4):
        page.settle()
    assert asked(page)[-1] == "again"
    assert state(page) == ("", False)
    assert page.shown() == account(bench)


def test_a_control_has_the_focus_again_after_it_rested(bench, page):
    page.page.evaluate(
        """() => {
            const bar = document.querySelector(".tl-controls");
            bar.append(Object.assign(document.createElement("button"), { id: "mine" }));
        }"""
    )
    page.page.evaluate(SLEEP)
    page.page.locator("#mine").focus()
    page.page.keyboard.press("a")
    page.page.clock.run_for(5100)
    assert state(page)[1]
    page.page.evaluate("window.wake()")
    page.settle()
    page.settle()
    expect(page.page.locator("#mine")).to_be_focused()


def test_a_lost_connection_is_named_at_once_and_ends_when_python_has_told_all(
    hosted, page
):
    page.page.evaluate(SLEEP)
    page.page.evaluate("connection('connecting')")
    page.page.clock.run_for(10)
    said, rests = state(page)
    assert "No connection to the kernel" in said
    assert "run this cell again" in said
    assert rests
    page.page.clock.run_for(600_000)
    assert asked(page) == []
    page.page.evaluate("connection('connected')")
    page.page.clock.run_for(10)
    assert asked(page) == ["again"]
    assert state(page)[1]
    page.page.evaluate("window.wake()")
    page.settle()
    assert state(page) == ("", False)
    assert page.shown() == account(hosted)


@pytest.mark.parametrize("end", ["restarting", "autorestarting", "dead"])
def test_a_kernel_that_ends_is_named_and_does_not_come_back(hosted, page, end):
    page.page.evaluate("end => manager.kernel.statusChanged.emit(end)", end)
    page.page.clock.run_for(10)
    for status in ("starting", "idle"):
        page.page.evaluate("at => manager.kernel.statusChanged.emit(at)", status)
    page.page.clock.run_for(100_000)
    said, rests = state(page)
    assert said == "The kernel has stopped or restarted: run this cell again."
    assert rests


def test_another_kernel_is_not_the_one_that_answered(hosted, page):
    page.page.evaluate(
        """() => {
            const { kernel } = window.manager;
            window.manager.kernel = { connectionStatus: "connected" };
            kernel.disposed.emit();
        }"""
    )
    page.page.clock.run_for(10)
    assert "run this cell again" in state(page)[0]
    assert state(page)[1]


def test_two_displays_of_one_explorer_come_to_rest_and_live_again_alike(paused, page):
    made = explorers.attention_bench(Q, Q, Q)
    page.draw(made, made)
    page.page.clock.run_for(100)
    page.page.evaluate(SLEEP)
    edit(page, "2")
    page.page.clock.run_for(5100)
    page.page.evaluate("window.wake()")
    for _ in range(3):
        page.settle()
    said = page.page.locator(".tl-message").all_text_contents()
    assert said == ["", ""]
