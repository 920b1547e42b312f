"""What draws a view is one module of several files: each keeps its own names."""

import pytest
from kinds import folders

from course.explorers.quiz import STATIC as QUIZ
from explorable.views import STATIC, module

RUN = """async (source) => {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    return (await import(url)).default;
}"""
ONE = """
const paint = (x) => `one ${x}`;
export const STEP = 1;
export function first(x) { return paint(x + STEP); }
"""
TWO = """
import { STEP as by, first } from "./one.js";

const STEP = 10;
const paint = (x) => `two ${x}`;
export async function second(x) { return [first(x), paint(x + STEP + by)]; }
"""
ENTRY = """
import { first } from "./one.js";
import {
  second,
} from "./two.js";

const paint = () => "the entry's";
export default [paint(), first(1), ...await second(1)];
"""


@pytest.fixture
def write(tmp_path):
    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.js").write_text(text)
        return tmp_path / "entry.js"

    return write


def test_files_that_meet_in_one_module_may_use_a_name_for_different_things(write, page):
    entry = write(one=ONE, two=TWO, entry=ENTRY)
    found = page.page.evaluate(RUN, module(entry))
    assert found == ["the entry's", "one 2", "one 2", "two 12"]


def test_a_file_that_two_others_import_stands_there_once(write):
    assert module(write(one=ONE, two=TWO, entry=ENTRY)).count("one ${x}") == 1


@pytest.mark.parametrize(
    "line",
    [
        "export default 1;",
        "export { paint };",
        "export * from './one.js';",
        "import * as one from './one.js';",
    ],
)
def test_what_cannot_be_joined_is_refused_with_its_line(line, write):
    entry = write(one=ONE, two=f"{line}\n", entry=ENTRY)
    with pytest.raises(ValueError, match=r"two\.js must export names, got") as refused:
        module(entry)
    assert line in str(refused.value)


ENTRIES = [folder / f"{name}_view.js" for name, folder in folders().items()]
ENTRIES += [STATIC / "tools/tools.js", QUIZ / "quiz_view.js"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda path: path.stem)
def test_every_module_of_a_view_gives_what_draws_it(entry, page):
    source = module(entry)
    keys = f"source => ({RUN})(source).then((view) => typeof view.render)"
    assert page.page.evaluate(keys, source) == "function"
