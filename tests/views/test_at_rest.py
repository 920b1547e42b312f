"""What becomes of a widget's output: in the file, and in a page that is loaded anew."""

import pytest

from explorable.views import STATIC, module

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
# A notebook of one cell in a host whose manager knows the widgets of these names.
RUN = """async ([source, cell, living, metadata, ended]) => {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const { saveAtRest } = await import(url);
    const change = () => { notebook.dirty = true; };
    const models = cell.map((output) => ({
        ...output, setData(now) { Object.assign(this, now); change(); },
    }));
    const written = () => models.map(({ data, metadata }) => ({ data, metadata }));
    const cells = () => [{ source: "" }, { outputs: written() }];
    const outputs = { length: models.length, get: (n) => models[n] };
    const notebook = {
        dirty: false, cells: [{}, { outputs }],
        toJSON: () => ({ nbformat: 4, metadata, cells: cells() }),
    };
    let restore;
    const widget_manager = {
        context: { model: notebook }, restoredStatus: false,
        restored: { connect: (act) => { restore = act; } },
        has_model: (id) => living.includes(id),
    };
    const model = { widget_manager, get: () => end, on: (_, act) => { tell = act; } };
    let tell, end = {};
    saveAtRest({ model });
    saveAtRest({ model });
    restore();
    if (ended) {
        end = ended;
        tell();
    }
    return { shown: written(), saved: notebook.toJSON(), dirty: notebook.dirty };
}"""
IMPORT = """(source) => import(
    URL.createObjectURL(new Blob([source], { type: "text/javascript" })))"""
HOSTS = ["{}", "{ context: {} }", "{ context: { model: {} } }", "undefined"]


def output(name, *, picture=True, inside=True):
    """What a cell shows of the widget of this name, or has shown."""
    view = {VIEW: {"model_id": name}}
    data = {"text/plain": name} | ({"image/png": "…"} if picture else {})
    data, metadata = (data | view, {}) if inside else (data, view)
    return {"data": data, "metadata": {"image/png": {"alt": "a picture"}} | metadata}


@pytest.fixture
def run(page):
    """`run(outputs, living, metadata, end)`: what is shown, what is saved."""

    def run(outputs, living=(), metadata=None, end=None):
        source = module(STATIC / "tools/at_rest.js")
        told = [source, list(outputs), list(living), metadata or {}, end]
        return page.page.evaluate(RUN, told)

    return run


def test_what_is_saved_of_an_explorer_is_its_picture_and_which_widget_it_was(run):
    told = run([output("a")], living=["a"])
    assert told["shown"] == [output("a")]
    assert told["saved"]["cells"] == [
        {"source": ""},
        {"outputs": [output("a", inside=False)]},
    ]
    assert told["saved"]["nbformat"] == 4


def test_a_widget_that_has_no_picture_is_saved_as_it_is(run):
    plain = output("a", picture=False)
    assert run([plain], living=["a"])["saved"]["cells"][1]["outputs"] == [plain]


def test_a_widget_whose_state_the_notebook_holds_is_saved_as_it_is(run):
    metadata = {"widgets": {STATE: {"state": {"a": {}}}}}
    written = run([output("a"), output("b")], ["a", "b"], metadata)["saved"]
    assert written["cells"][1]["outputs"] == [output("a"), output("b", inside=False)]


def test_what_is_saved_of_long_work_is_its_end(run):
    data = {"image/png": "its end", "text/plain": "the end"}
    end = {"of": "a", "data": data, "metadata": {"image/png": {"alt": "at the end"}}}
    told = run([output("a"), output("b")], living=["a", "b"], end=end)
    assert told["shown"] == [output("a"), output("b")]
    ended, other = told["saved"]["cells"][1]["outputs"]
    view = {VIEW: {"model_id": "a"}}
    assert ended == {"data": data, "metadata": end["metadata"] | view}
    assert other == output("b", inside=False)
    assert told["dirty"]


def test_a_page_that_is_loaded_anew_shows_the_widgets_that_live_and_the_others_pictures(
    run,
):
    """And the notebook does not count as changed: its reader has done nothing."""
    before = [output(name, inside=inside) for name in "ab" for inside in (True, False)]
    told = run(before, living=["a"])
    after = [output(name, inside=name == "a") for name in "aabb"]
    assert told["shown"] == after
    assert not told["dirty"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_without_a_notebook_is_left_alone(host, page):
    call = f"saveAtRest({{ model: {{ widget_manager: {host} }} }});"
    page.page.evaluate(IMPORT, module(STATIC / "tools/at_rest.js") + call)
