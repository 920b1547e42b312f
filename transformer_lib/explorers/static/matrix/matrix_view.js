// MatrixView: heat maps whose cells can be read, hovered, focused, pinned and edited.
//
// What is drawn is in Panel, panel.py. A place that is shared has a row and a column;
// null stands for all of them.

import { firstPlace, gridPlace, make } from "../shared/dom.js";
import { valueAt } from "../shared/numbers.js";
import { makeView } from "../shared/view.js";
import { makeTable, paint, relabel } from "./cells.js";
import { makeEditor } from "./editor.js";
import { explainCell } from "./explain.js";

/** @type {Record<string, [number, number]>} rows down and columns right */
const MOVES = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  Home: [0, -Infinity], End: [0, Infinity],
};
const TYPED = /^(?:Enter|F2|[-−.0-9])$/;

/** What the heading of a matrix says of what can be done with it. @param {HTMLElement} head */
function fillHead(head, /** @type {Matrix} */ { name, title, editable, toggles, chooses }) {
  if (chooses) {
    const button = make("button", "tl-chooser", title, { type: "button", "data-chooses": name });
    head.querySelector("b")?.replaceChildren(button);
  }
  if (editable) head.append(make("span", "", toggles ? "✎ click to turn over" : "✎ edit"));
}

const hintOf = (/** @type {Matrix} */ { chooses, toggles, editable }) => (
  chooses ? "Click or Enter: choose this one. Space: pin this cell. Arrow keys: move."
  : toggles ? "Click, Enter or Space: turn this cell over. Arrow keys: move."
  : editable ? "Enter or click: type a number. While typing, ↑ ↓ change it by 0.1 (Shift: 1)."
  : "Click or Space: pin this cell. Arrow keys: move.");

/** @param {View<Matrix, Cell>} view @returns {Kind<Matrix, Cell>} */
function matrixKind(view) {
  const { model, kernel } = view;
  const id = Math.random().toString(36).slice(2);
  const editor = makeEditor(
    (place, question) => kernel.send({ type: "edit", ...place, ...question, view: id }),
    ({ panel, row, column }) => String(valueAt(view.tables[panel], row, column)),
  );
  const onAnswer = (/** @type {any} */ said) => said.view === id && editor.answer(said);
  model.on("msg:custom", onAnswer);

  const cellAt = (/** @type {Cell} */ { panel, row, column }) => view.drawings[panel]?.cells[row]?.[column];

  const choose = (panel = "") => Boolean(panel) && kernel.send({ type: "choose", panel });

  /** Do what this matrix is for, if there is anything. @param {Cell} place @param {string | null} first typed */
  function use(place, first = null) {
    const { toggles, editable, title, rows, columns } = view.drawings[place.panel];
    const td = cellAt(place);
    // Python turns a cell over: it knows what stands there when it hears of it.
    if (toggles) kernel.send({ type: "turn", ...place, panel: toggles });
    else if (editable && td) {
      view.look(place);
      editor.start(place, td, `${title}, row ${rows[place.row]}, column ${columns[place.column]}`, first);
    } else return choose(place.panel);
    return true;
  }

  return {
    /** All but the names of rows and columns: those change in place. */
    plan: (key, x) => (key === "rows" || key === "columns" ? x.length : x),
    cleared: () => editor.close(),
    build(/** @type {Matrix} */ frame, { box, head, foot }) {
      const { table, ...made } = makeTable(frame);
      box.classList.add(`tl-${frame.size}`);
      box.classList.toggle("tl-wordless", made.wordless);
      fillHead(head, frame);
      foot.before(table);
      return made;
    },
    update(drawing, frame) {
      const { cells, box, head, name, chosen } = drawing;
      const { at, columns } = view.tables[name];
      const marks = ["hidden", "flagged", "outlined"].map((which) => view.tables[`${name}.${which}`]?.at);
      const [hidden, flagged, outlined] = marks;
      relabel(drawing, frame);
      cells.forEach((row, r) => row.forEach((td, c) => {
        const n = r * columns + c;
        paint(td, drawing, at[n], hidden?.[n] || 2 * (flagged?.[n] ?? 0));
        if (outlined) td.classList.toggle("tl-outlined", Boolean(outlined[n]));
      }));
      box.classList.toggle("tl-chosen", Boolean(chosen));
      head.querySelector(".tl-chooser")?.setAttribute("aria-pressed", String(chosen));
      editor.refresh();
    },
    first: () => firstPlace(model.get("panels").at(-1)),
    nodeAt: cellAt,
    placeOf: (node) => (node.closest(".tl-editor") ? null : gridPlace(node)),
    explain(drawing, place) {
      const { row, column } = /** @type {Cell} */ (place);
      const { tables, drawings } = view;
      const { chips, operands } = explainCell({ drawing, row, column, tables, drawings });
      for (const td of operands) view.mark(td, "tl-operand");
      const names = { row: drawing.rows[row], column: drawing.columns[column] };
      return { sentence: drawing.sentence, names, chips, hint: hintOf(drawing) };
    },
    sharing: ({ cells }, { row, column }) => (row === null ? cells : [cells[row] ?? []])
      .flatMap((line) => (column === null ? line : line[column] ?? [])),
    step({ panel, row, column }, key) {
      if (!(key in MOVES)) return null;
      const { rows, columns } = view.drawings[panel];
      const clip = (/** @type {number} */ x, n = 0) => Math.max(0, Math.min(n - 1, x));
      const [down, right] = MOVES[key];
      return { panel, row: clip(row + down, rows.length), column: clip(column + right, columns.length) };
    },
    key({ key }, place) {
      const { toggles, editable, chooses } = view.drawings[place.panel];
      const used = toggles ? [" ", "Enter"].includes(key) : editable ? TYPED.test(key) : chooses && key === "Enter";
      if (key === "Escape") editor.close(true);
      if (used) return use(place, key.length === 1 ? key : null);
      return key === "Delete" || key === "Backspace"; // which would be the notebook's
    },
    click({ target }, place) {
      const button = /** @type {HTMLElement} */ (target).closest("button");
      if (button) return choose(button.dataset.chooses);
      const { toggles, editable, chooses } = (place && view.drawings[place.panel]) ?? {};
      if (!place || !(toggles || editable || chooses)) return false;
      view.go(place);
      return use(place);
    },
    stop: () => model.off("msg:custom", onAnswer),
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, matrixKind) };
