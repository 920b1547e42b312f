// MatrixView: heat maps whose cells can be read, hovered, focused, pinned and edited.
//
// What is drawn is in Panel, panel.py. A place that is shared has a row and a column;
// null stands for all of them.

import { make } from "../shared/dom.js";
import { valueAt } from "../shared/numbers.js";
import { makeView } from "../shared/view.js";
import { makeTable, paint, relabel } from "./cells.js";
import { makeEditor } from "./editor.js";
import { explainCell } from "./explain.js";

/** @import { Cell, Context, Kind, Matrix, View } from "../shared/types.js" */

/** @type {Record<string, [number, number]>} rows down and columns right */
const MOVES = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  Home: [0, -Infinity], End: [0, Infinity],
};
const TYPED = /^(?:Enter|F2|[-−.0-9])$/;

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

  /** @param {Matrix} frame @param {HTMLElement} head */
  function makeHead({ name, title, editable, toggles, chooses }, head) {
    if (chooses) {
      const button = make("button", "tl-chooser", title, { type: "button", "data-chooses": name });
      head.querySelector("b")?.replaceChildren(button);
    }
    if (editable) head.append(make("span", "", toggles ? "✎ click to turn over" : "✎ edit"));
  }

  /** @param {Cell} place */
  const cellAt = ({ panel, row, column }) => view.drawings[panel]?.cells[row]?.[column];

  /** @param {string | undefined} panel */
  const choose = (panel) => Boolean(panel) && kernel.send({ type: "choose", panel });

  /**
   * Python turns it over: it alone knows what stands there when it hears of it.
   * @param {Cell} place
   */
  function turnOver(place) {
    const { toggles: panel } = view.drawings[place.panel];
    kernel.send({ type: "turn", ...place, panel });
  }

  /** @param {Cell} place @param {string | null} first what the reader has typed already */
  function edit(place, first) {
    const { title, rows, columns } = view.drawings[place.panel];
    const label = `${title}, row ${rows[place.row]}, column ${columns[place.column]}`;
    view.look(place);
    const td = cellAt(place);
    if (td) editor.start(place, td, label, first);
  }

  return {
    /** All but the names of rows and columns: those change in place. */
    plan: () => JSON.stringify(
      [model.get("panels"), model.get("groups")],
      (key, x) => (key === "rows" || key === "columns" ? x.length : x),
    ),
    cleared: () => editor.close(),
    build(/** @type {Matrix} */ frame, { box, head, foot }) {
      const { table, ...made } = makeTable(frame);
      box.classList.add(`tl-${frame.size}`);
      box.classList.toggle("tl-wordless", made.wordless);
      makeHead(frame, head);
      foot.before(table);
      return made;
    },
    update(drawing, frame) {
      relabel(drawing, frame);
      const { at } = view.tables[drawing.name];
      const hidden = view.tables[`${drawing.name}.hidden`]?.at;
      let n = 0;
      for (const row of drawing.cells) {
        for (const td of row) {
          paint(td, drawing, at[n], hidden ? hidden[n] : 0);
          n += 1;
        }
      }
      if (drawing.chooses) {
        drawing.box.classList.toggle("tl-chosen", drawing.chosen);
        drawing.head.querySelector(".tl-chooser")?.setAttribute("aria-pressed", String(drawing.chosen));
      }
      editor.refresh();
    },
    first() {
      const last = model.get("panels").at(-1);
      return last ? { panel: last.name, row: 0, column: 0 } : null;
    },
    nodeAt: cellAt,
    placeOf(node) {
      const td = node.closest("td");
      if (!td?.dataset.panel || node.closest(".tl-editor")) return null;
      return { panel: td.dataset.panel, row: Number(td.dataset.row), column: Number(td.dataset.column) };
    },
    explain(drawing, place) {
      const { sentence, rows, columns, chooses, toggles, editable } = drawing;
      const { row, column } = /** @type {Cell} */ (place);
      const { tables, drawings } = view;
      const { chips, operands } = explainCell({ drawing, row, column, tables, drawings });
      for (const td of operands) view.mark(td, "tl-operand");
      const hint = chooses ? "Click or Enter: show this one large. Space: pin this cell. Arrow keys: move."
        : toggles ? "Click, Enter or Space: turn this cell over. Arrow keys: move."
        : editable ? "Enter or click: type a number. While typing, ↑ ↓ change it by 0.1 (Shift: 1)."
          : "Click or Space: pin this cell. Arrow keys: move.";
      return { sentence, names: { row: rows[row], column: columns[column] }, chips, hint };
    },
    sharing: ({ shares, row, column }) => Object.values(view.drawings)
      .filter((drawing) => drawing.shares === shares)
      .flatMap(({ cells }) => (row === null ? cells : [cells[row] ?? []]))
      .flatMap((cells) => (column === null ? cells : cells[column] ?? [])),
    step({ panel, row, column }, key) {
      if (!(key in MOVES)) return null;
      const { rows, columns } = view.drawings[panel];
      const clip = (/** @type {number} */ x, /** @type {number} */ n) => Math.max(0, Math.min(n - 1, x));
      const [down, right] = MOVES[key];
      return { panel, row: clip(row + down, rows.length), column: clip(column + right, columns.length) };
    },
    key({ key }, place) {
      const { toggles, editable, chooses } = view.drawings[place.panel];
      if (key === "Escape") editor.close(true);
      else if (toggles && [" ", "Enter"].includes(key)) return turnOver(place), true;
      else if (editable && !toggles && TYPED.test(key)) return edit(place, key.length === 1 ? key : null), true;
      else if (chooses && key === "Enter") return choose(place.panel);
      return ["Delete", "Backspace"].includes(key);
    },
    click({ target }, place) {
      const button = /** @type {HTMLElement} */ (target).closest("button");
      if (button) return choose(button.dataset.chooses);
      if (!place) return false;
      const { toggles, editable, chooses } = view.drawings[place.panel];
      if (!toggles && !editable && !chooses) return false;
      view.go(place);
      if (toggles) turnOver(place);
      else if (editable) edit(place, null);
      else choose(place.panel);
      return true;
    },
    stop: () => model.off("msg:custom", onAnswer),
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, matrixKind) };
