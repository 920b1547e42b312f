// MatrixView: heat maps whose cells can be read, hovered, focused, pinned and edited.
//
// What is drawn is in Matrix, matrix.py. A place that is shared has a row and a column;
// null stands for all of them.

import { make, put, stepTo } from "../../static/shared/dom.js";
import { bestIn, valueAt } from "../../static/shared/numbers.js";
import { makeView } from "../../static/shared/view.js";
import { makeTable, paint, picture, relabel } from "./cells.js";
import { makeEditor } from "./editor.js";
import { explainCell } from "./explain.js";

const REFUSED = "Type another number, or press Escape to keep the old one.";
const TYPED = /^(?:Enter|F2|[-−.0-9])$/;
const FRAMED = 1e6; // times what others are worth that are read first

/** What the heading of a matrix says of what can be done with it. @param {HTMLElement} head */
function fillHead(head, /** @type {Matrix} */ { name, title, editable, toggles, chooses }) {
  const whole = chooses && !Array.isArray(chooses[1]);
  const button = whole && make("button", "tl-chooser", title, { "data-chooses": name });
  if (button) head.querySelector("b")?.replaceChildren(button);
  if (editable) head.append(make("span", "tl-quiet", toggles ? "✎ click to flip" : "✎ edit"));
}

const hintOf = (/** @type {Matrix} */ { chooses, toggles, editable }) => (
  chooses ? "Click or Enter: choose this one. Space: pin. Arrow keys: move."
  : toggles ? "Click, Enter or Space: turn this cell over. Arrow keys: move."
  : editable ? "Enter or click: type a number. While typing, ↑ ↓ change it by 0.1 (Shift: 1)."
  : "Arrow keys: move. Click or Space: pin.");

/** @param {View<Matrix, Cell>} view @returns {Kind<Matrix, Cell>} */
function matrixKind(view) {
  const { model, kernel } = view;
  const editor = makeEditor(view);
  model.on("msg:custom", editor.answer);

  /** Do what this matrix is for. @param {Cell} place @param {string | null} first typed */
  function use(place, first = null) {
    const { toggles, editable } = view.drawings[place.panel];
    view.hover(place);
    // Python turns a cell over: it knows what stands there when it hears of it.
    if (toggles) return kernel.send({ type: "turn", ...place, panel: toggles });
    if (editable) return editor.start(place, first);
    return kernel.send({ type: "choose", ...place });
  }

  return {
    reads: ({ row_pictures, column_pictures }) => [...row_pictures, ...column_pictures],
    /** All but the names of rows and columns: those change in place. */
    plan: (key, x) => (key === "rows" || key === "columns" ? x.length : x),
    build(/** @type {Matrix} */ frame, { box, head, foot }) {
      const { table, about, ...made } = makeTable(frame);
      box.classList.add(`tl-${frame.size}`);
      box.classList.toggle("tl-wordless", made.wordless);
      fillHead(head, frame);
      foot.before(about, table);
      return made;
    },
    update(drawing) {
      const { cells, box, head, name, chosen, followed, faint } = drawing;
      const { at, columns } = view.tables[name];
      const marks = ["hidden", "flagged", "outlined"].map((which) => view.tables[`${name}.${which}`]?.at);
      const [hidden, flagged, outlined] = marks;
      relabel(drawing);
      picture(drawing, view.tables);
      for (const td of box.querySelectorAll(".tl-changed")) td.classList.remove("tl-changed");
      cells.forEach((row, r) => row[0]?.parentElement?.classList.toggle("tl-followed", r === followed));
      cells.forEach((row, r) => row.forEach((td, c) => {
        const n = r * columns + c;
        paint(td, drawing, at[n], hidden?.[n] || 2 * (flagged?.[n] ?? 0));
        td.classList.toggle("tl-outlined", Boolean(outlined?.[n]));
      }));
      box.classList.toggle("tl-chosen", Boolean(chosen));
      box.classList.toggle("tl-faint", Boolean(faint));
      for (const button of head.querySelectorAll("button")) put(button, { "aria-pressed": chosen });
      editor.refresh();
    },
    unheard: editor.unheard,
    /** The largest number of what leads, or else of the last table that is not typed; a red or framed one if it may. */
    first(frames) {
      const all = /** @type {Matrix[]} */ (frames);
      const last = all.findLast(({ editable }) => !editable) ?? all[0];
      const { name, rows, columns } = all.find(({ leads }) => leads) ?? last;
      const { [name]: numbers, [`${name}.hidden`]: hidden } = view.tables;
      const marks = ["flagged", "outlined"].map((which) => view.tables[`${name}.${which}`]);
      const { followed, opens } = view.drawings[name];
      const isLeft = (/** @type {number} */ row, /** @type {number} */ column) => (
        [followed, opens].some((only) => only >= 0 && row !== only) || Boolean(hidden && valueAt(hidden, row, column)));
      const worth = /** @type {Worth} */ (x, row, column) => (
        isLeft(row, column) || !Number.isFinite(x) ? -1
          : Math.abs(x) * (marks.some((at) => at && valueAt(at, row, column)) ? FRAMED : 1));
      const best = bestIn(numbers, [rows.length, columns.length], worth);
      return { panel: name, ...best };
    },
    explain(drawing, place) {
      const { row, column } = /** @type {Cell} */ (place);
      const { tables, drawings } = view;
      const fault = editor.fault();
      if (fault) return { sentence: "⚠ {fault}", names: { fault }, hint: REFUSED };
      const names = { row: drawing.rows[row], column: drawing.columns[column] };
      const made = explainCell({ drawing, row, column, tables, drawings });
      return { sentence: drawing.sentence, names, ...made, hint: hintOf(drawing) };
    },
    shared: ({ panel, row, column }) => ({ row, column, columns: view.drawings[panel].columns }),
    /** The cell in the same place; where the columns are others, the row. */
    sharing({ cells, columns }, { row, column, columns: of = columns }) {
      const isWhole = column === null || String(of) !== String(columns);
      return (row === null ? cells : [cells[row] ?? []]).flatMap((line) => (isWhole ? line : line[column] ?? []));
    },
    step({ panel, row, column }, key) {
      const { rows, columns } = view.drawings[panel];
      const across = stepTo(key, column, columns.length, "ArrowLeft", "ArrowRight");
      const down = stepTo(key, row, rows.length, "ArrowUp", "ArrowDown");
      if (across !== null) return { panel, row, column: across };
      return down === null ? null : { panel, row: down, column };
    },
    key({ key }, place) {
      const { toggles, editable, chooses } = view.drawings[place.panel];
      const asked = toggles ? /^(?: |Enter)$/ : editable ? TYPED : chooses ? /^Enter$/ : /^$/;
      const used = asked.test(key);
      if (key === "Escape") editor.close(true);
      if (used) use(place, key.length === 1 ? key : null);
      return used || key === "Delete" || key === "Backspace"; // which would be the notebook's
    },
    click({ target }, place) {
      const button = /** @type {HTMLElement} */ (target).closest("button");
      if (button) return kernel.send({ type: "choose", panel: button.dataset.chooses });
      const { toggles, editable, chooses } = (place && view.drawings[place.panel]) ?? {};
      if (!place || !(toggles || editable || chooses)) return false;
      view.go(place);
      use(place);
      return true;
    },
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, matrixKind) };
