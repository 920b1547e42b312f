// The cells and the headers of a table: made once, changed in place.

import { make, setText } from "../shared/dom.js";
import { hueBelow, shadeOf, wordOrNumber } from "../shared/numbers.js";

/** @type {Record<string, number>} cells without numbers: em a side */
const WORDLESS = { tiny: 1.3, minute: 0.9, fine: 0.64 };

/** The table of a matrix, and the nodes in it that change. @param {Matrix} frame */
export function makeTable(frame) {
  const { title, axes, size } = frame;
  const label = `${title}: rows are ${axes[0]}, columns ${axes[1]}`;
  const table = make("table", "", "", { role: "grid", "aria-label": label });
  const corner = make("td", "tl-corner");
  if (axes[0]) corner.append(make("span", "", `${axes[0]} ↓`), make("span", "", `${axes[1]} →`));
  const across = frame.columns.map((text) => makeHeader(text, "col"));
  const down = frame.rows.map((text) => makeHeader(text, "row"));
  table.createTHead().insertRow().append(corner, ...across);
  const body = table.createTBody();
  const cells = down.map((header, row) => {
    const line = across.map((_, column) => makeCell(frame, row, column));
    body.insertRow().append(header, ...line);
    return line;
  });
  const room = frame.digits + 3; // characters that a cell has room for
  return { table, cells, heads: [...down, ...across], room, wordless: size in WORDLESS, stop: cells[0][0] };
}

/** A row's or a column's name. @param {string} label @param {string} scope */
const makeHeader = (label, scope) => make("th", "tl-cut", label || "·", { scope, title: label });

/** @param {Matrix} frame @param {number} row @param {number} column @returns {Painted} */
function makeCell({ name, editable, toggles }, row, column) {
  const look = toggles ? "tl-shade tl-edit tl-turn" : editable ? "tl-shade tl-edit" : "tl-shade";
  const place = { "data-panel": name, "data-row": row, "data-column": column };
  const td = make("td", look, "", { role: "gridcell", tabindex: -1, ...place });
  if (!editable) td.setAttribute("aria-readonly", "true");
  td.append(make("span"));
  return td;
}

/** Give rows and columns their names, as they are now, and cells their width. @param {Matrix} drawing */
export function relabel(drawing, /** @type {Matrix} */ { rows, columns }) {
  if (drawing.labelled === rows) return;
  [...rows, ...columns].forEach((label, n) => {
    const head = drawing.heads[n];
    if (head.title === label) return;
    setText(head, label || "·");
    head.title = label;
  });
  Object.assign(drawing, { rows, columns, labelled: rows });
  drawing.box.style.setProperty("--cell", cellWidth(drawing));
}

/** How wide a cell is: as its numbers and, in a small table, its labels need. @param {Matrix} drawing */
function cellWidth({ rows, columns, size, wordless, room }) {
  const most = Math.max(rows.length, columns.length);
  if (size === "fine") return `${Math.max(WORDLESS.fine, Math.min(1.1, 31 / most))}em`;
  if (wordless) return `${WORDLESS[size]}em`;
  const longest = Math.max(...columns.map((label) => label.length));
  const label = columns.length > 7 ? 0 : Math.min(12, longest);
  return `${Math.max(0.58 * room, 0.46 * label) + 0.5}em`;
}

/**
 * A page of thousands of cells follows a slider because most of each is left alone.
 * @param {Painted} td @param {Matrix} drawing @param {number} x @param {number} hides 1 if masked, 2 if flagged
 */
export function paint(td, drawing, x, hides) {
  const { palette, limit, veil, digits, words, tracked } = drawing;
  const same = Object.is(td.x, x) && td.hides === hides;
  if (tracked) td.classList.remove("tl-changed");
  if (same && td.limit === limit) return;
  const step = ["", "tl-hidden", "tl-flagged"][hides] || shadeOf(x, limit);
  if (td.step !== step) td.classList.replace(String(td.step), step) || td.classList.add(step);
  td.step = step;
  td.limit = limit;
  if (same) return;
  td.x = x;
  td.hides = hides;
  const sign = Number.isNaN(x) ? "tl-nan" : hides ? "" : x === 0 ? "tl-zero" : hueBelow(palette, x);
  const signs = hides === 1 && !veil ? `tl-says ${sign}` : sign;
  if ((td.signs ?? "") !== signs) {
    td.classList.remove("tl-nan", "tl-zero", "tl-says", "of-negative");
    td.classList.add(...signs.split(" ").filter(Boolean));
    td.signs = signs;
  }
  say(td, drawing, (hides === 1 && veil) || wordOrNumber(x, digits, words) + (hides === 2 ? "!" : ""));
}

/** A small cell has no room for its number: it says it. @param {Painted} td @param {Matrix} drawing */
function say(td, { wordless, room, tracked }, /** @type {string} */ text) {
  if (text === td.says) return;
  if (tracked && td.says !== undefined) td.classList.add("tl-changed");
  td.says = text;
  if (wordless) td.setAttribute("aria-label", text);
  else {
    const span = /** @type {HTMLElement} */ (td.firstElementChild);
    span.textContent = text;
    const tight = text.length > room ? `${(room / text.length).toFixed(2)}em` : "";
    if ((td.tight ?? "") !== tight) span.style.fontSize = td.tight = tight;
  }
}
