"""Every number that an explorer shows is what its record says, in every state."""

import json

import numpy as np
import pytest
from explanations import derived, judge, sheet_of
from gallery import EDITED, GALLERY, ends_of

from explorable.operations import evaluate

#: Explorers that derive no table in any state: what they show was measured, trained or
#: drawn beside the sheet, and stands for itself.
UNDERIVED = {
    *("cache_costs", "online_softmax", "speculative"),
    *("decoding", "deep_stack", "define", "depth_training", "digit_training", "fill"),
    *(
        "find_the_bug",
        "kv_cache",
        "masked_words",
        "masked_words_training",
        "modern_block",
        "nearness_training",
    ),
    *("order_experiment", "order_training", "patch_attention", "picture_writing"),
    *("rnn_or_attention", "scale_lab", "split_lab"),
    "sequence_training",
    *("pictures", "trees"),
}
#: Numbers that move with what the reader edits since a trained model has read it.
RECORDED = {
    "patch_attention": {*("head 1", "head 2", "head 3", "head 4")}
    | {"seen", "seen.weights", "probabilities"},
    "picture_writing": {"picture", "surprise", "probabilities"},
}
#: Bars, tiles and pixels that move with it and are computed beside the sheet.
BESIDE = {
    "add_and_norm": {"vector"},
    "mixing_bench": {"mixtures"},
    "pictures": {"seen", "seen.weights"},
}


def states(explorer):
    """The start, each control at each end, and one cell of each input changed."""
    yield "the start"
    for name, control in explorer.controls.items():
        begun = control.value
        for value in ends_of(control):
            control.value = value
            yield f"{name} = {value}"
        control.value = begun
    for name in explorer.inputs:
        explorer.edit(name, 0, 0, 1.0)
        yield f"{name} changed"
        explorer.reset()


def sheets_of(explorer):
    """Every sheet that an explorer makes from now on, and the one that stands."""
    made, function = [sheet_of(explorer)], explorer._function

    def noted(**given):
        made.append(function(**given))
        return made[-1]

    explorer._function = noted
    return made


def replayed(sheet):
    """Compute each table again from the leaves, and from records read back as text."""
    arrays = {}
    for name, table in sheet.tables.items():
        record = json.loads(json.dumps(table.provenance, allow_nan=False))
        stands = record["op"] == "leaf" or record.get("recorded")
        arrays[name] = table.values if stands else evaluate(record, arrays)
    return arrays


@pytest.mark.parametrize("name", sorted(GALLERY.keys() - UNDERIVED))
def test_every_number_is_what_its_record_says_in_every_state(name):
    explorer = GALLERY[name].make(4)
    judged = 0
    for state in states(explorer):
        sheet = sheet_of(explorer)
        judged += judge(sheet, 1e-6)
        for table_name, again in replayed(sheet).items():
            said = f"{state}: {table_name}"
            np.testing.assert_array_equal(again, sheet[table_name], said)
        for drawing in explorer.drawings:
            if drawing.kind == "matrix":
                assert drawing.provenance == sheet.tables[drawing.name].provenance
    assert judged > 0


@pytest.mark.parametrize("name", sorted(UNDERIVED))
def test_an_explorer_without_records_has_none_in_any_state(name):
    explorer = GALLERY[name].make(4)
    made = sheets_of(explorer)
    assert len([*states(explorer)]) <= len(made)
    assert not any(derived(sheet) for sheet in made)


def leaves(sheet):
    """By name, the numbers of a sheet that no operation has made."""
    made = {table.name for table in derived(sheet)}
    return {name: x for name, x in sheet.arrays.items() if name not in made}


def is_input(explorer, values):
    """Whether these are the numbers of an input, as the reader has left them."""
    return any(
        np.array_equal(values, x, equal_nan=True) for x in explorer.inputs.values()
    )


def moved_leaves(explorer, made, every):
    """The leaves that move when a cell of an input does, but that are no input."""
    start, moved, begun = leaves(made[-1]), set(), explorer.inputs
    for name, x in begun.items():
        cells = [*np.ndindex(x.shape)]
        for row, column in cells if every else cells[:: len(cells) - 1 or 1]:
            number = x[row, column]
            for other in (1.0, 0.0) if number in (0, 1) else (0.4, 1.0, 0.0):
                try:
                    explorer.edit(name, row, column, other)
                except ValueError:
                    continue  # it is refused: a row without a part, say
                for leaf, values in leaves(made[-1]).items():
                    same = np.array_equal(values, start.get(leaf), equal_nan=True)
                    if not same and not is_input(explorer, values):
                        moved.add(leaf)
            explorer._run(begun)  # an edit has changed a copy of them
    return moved


@pytest.mark.parametrize("name", EDITED)
def test_what_moves_with_an_input_is_derived_from_it(name):
    """At the start each cell is changed; in other states the first and the last."""
    explorer = GALLERY[name].make(3)
    made, moved = sheets_of(explorer), set()
    for state in states(explorer):
        first = state == "the start"
        if first or name not in RECORDED:
            moved |= moved_leaves(explorer, made, every=first)
    assert moved == RECORDED.get(name, set()) | BESIDE.get(name, set())


@pytest.mark.parametrize("name", GALLERY)
def test_what_is_said_has_curly_apostrophes(name):
    """One heading said “V’s rows”, and the note below it "V's rows"."""
    for d in GALLERY[name].example.drawings:
        assert not [x for x in (d.title, d.formula, d.note, d.sentence) if "'s " in x]
