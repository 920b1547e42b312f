// The cells and the headers of a table: made once, changed in place.

import { cut, make, put, setText } from "../../static/shared/dom.js";
import { hueBelow, shadeOf, wordOrNumber } from "../../static/shared/numbers.js";

/** @type {Record<string, number>} cells without numbers: em a side */
const WORDLESS = { plain: 2.08, medium: 1.58, tiny: 1.38, slim: 1.38, minute: 0.98, fine: 0.64 };
const [CHARACTER, BESIDE, APART] = [0.58, 0.8, 0.5]; // em of a number's character, beside them all, and beside a label
const HEAD = 0.62; // em of a letter of the longest label of the rows of all tables that align

/** The table of a matrix, and the nodes in it that change. @param {Matrix} frame */
export function makeTable(frame) {
  const { title, axes, size, rows, columns } = frame;
  const named = axes.map((name, n) => axes[0] && name && `${name} ${"↓→"[n]}`).filter(Boolean);
  const across = columns.map(() => make("th", "", { scope: "col" }));
  const down = rows.map(() => make("th", "", { scope: "row" }));
  const cells = rows.map((_, row) => columns.map((__, column) => makeCell(frame, row, column)));
  const head = make("thead", "", make("tr", "", make("td"), ...across));
  const body = make("tbody", "", ...cells.map((line, row) => make("tr", "", down[row], ...line)));
  const label = `${title}: rows are ${axes[0]}, columns ${axes[1]}`;
  const table = make("table", "", { role: "grid", "aria-label": label }, head, body);
  const room = Math.max(frame.digits, frame.decimals) + 3; // characters that a cell has room for
  const about = make("div", "tl-axes tl-quiet", named.join(" "));
  return { table, about, cells, heads: [...down, ...across], room, wordless: size in WORDLESS };
}

/** @param {Matrix} frame @param {number} row @param {number} column @returns {Painted} */
function makeCell({ name, editable, toggles, size }, row, column) {
  const look = toggles ? "tl-edit tl-turn" : editable ? "tl-edit" : "";
  const place = { tabindex: -1, "data-panel": name, "data-row": row, "data-column": column };
  const fixed = !editable && { "aria-readonly": true };
  return make("td", look, { role: "gridcell", ...place }, fixed, size in WORDLESS ? "" : make("span"));
}

/** Give rows and columns their names, as they are now, and cells their width. @param {Matrix} drawing */
export function relabel(drawing) {
  const { rows, columns, heads, box, named } = drawing;
  if (named === rows) return;
  drawing.named = rows;
  [...rows, ...columns].forEach((label, n) => put(heads[n], { class: cut(label), title: label, text: label || "·" }));
  box.classList.toggle("tl-upright", columns.every((label) => /^(?:.|\d\d)$/u.test(label)));
  const wide = cellWidth(drawing);
  box.style.setProperty("--cell", `${wide}em`);
  const { length } = drawing.longest;
  box.style.setProperty("--head", `${length && HEAD * length + APART}em`);
  const fits = Math.floor((wide - BESIDE) / CHARACTER + 0.01);
  if (fits === drawing.fits) return;
  drawing.fits = fits;
  for (const td of drawing.cells.flat()) td.x = td.says = undefined; // to be said again
}

/** A picture, red, green and blue of one cell after another, as an image. @param {Table} light */
function imageOf({ at, rows, columns }) {
  const canvas = make("canvas", "", { width: columns / 3, height: rows });
  const paper = /** @type {CanvasRenderingContext2D} */ (/** @type {HTMLCanvasElement} */ (canvas).getContext("2d"));
  const image = paper.createImageData(columns / 3, rows);
  image.data.forEach((_, n) => { image.data[n] = n % 4 < 3 ? 255 * at[3 * Math.floor(n / 4) + (n % 4)] : 255; });
  paper.putImageData(image, 0, 0);
  return /** @type {HTMLCanvasElement} */ (canvas).toDataURL();
}

/** Put pictures beside the labels that have one. @param {Matrix} drawing @param {Tables} tables */
export function picture({ rows, heads, row_pictures, column_pictures }, tables) {
  const all = /** @type {[number, string[]][]} */ ([[0, row_pictures], [rows.length, column_pictures]]);
  for (const [first, names] of all) {
    names.forEach((name, n) => {
      const head = heads[first + n];
      head.classList.add("tl-pictured"); // a new name takes it away
      if (head.light === tables[name]) return;
      head.light = tables[name];
      head.style.setProperty("--picture", `url(${imageOf(tables[name])})`);
    });
  }
}

/** How wide a cell is: as its numbers and, in a small table, its labels need. @param {Matrix} drawing */
function cellWidth({ rows, columns, size, wordless, room }) {
  const most = Math.max(rows.length, columns.length);
  if (size === "fine") return Math.max(WORDLESS.fine, Math.min(1.1, 31 / most));
  const hasPairs = /^(?:tiny|slim)$/.test(size) && columns.some((label) => /^\d\d$/.test(label)); // of digits
  if (wordless) return hasPairs ? 1.58 : WORDLESS[size];
  const longest = Math.max(...columns.map((label) => label.length));
  const label = Math.min(columns.length > 7 ? 6 : 12, longest);
  return Math.max(CHARACTER * room + BESIDE, 0.5 * label + APART);
}

/**
 * A page of thousands of cells follows a slider because most of each is left alone.
 * @param {Painted} td @param {Matrix} drawing @param {number} hides 1: masked, 2: flagged
 */
export function paint(td, drawing, /** @type {number} */ x, hides) {
  const { vmax, masked_text, digits, words, blank_zeros } = drawing;
  if (Object.is(td.x, x) && td.hides === hides && td.vmax === vmax) return;
  [td.x, td.hides, td.vmax] = [x, hides, vmax];
  const shade = ["", "tl-hidden", "tl-flagged"][hides] || shadeOf(x, vmax);
  const text = (hides === 1 && masked_text) || wordOrNumber(x, digits, words) + (hides === 2 ? "!" : "");
  const isNothing = x === 0 || Number(text) === 0; // as plots.is_nothing has it
  const signs = hides ? "" : `${hueBelow(x)}${isNothing ? " tl-zero" : ""}`.trim();
  const sign = Number.isNaN(x) ? "tl-nan" : signs;
  const says = hides === 1 && !masked_text ? " tl-says" : "";
  const look = `${shade}${sign && ` ${sign}`}${says}${blank_zeros && isNothing ? " tl-blank" : ""}`;
  if (td.look !== look) { // at once: each change of a class costs
    td.className = td.look ? td.className.replace(td.look, look) : `${td.className} ${look}`;
    td.look = look;
  }
  say(td, drawing, text);
}

/** A small cell has no room for its number: it says it. @param {Painted} td @param {Matrix} drawing */
function say(td, { wordless, fits = 0, tracked }, /** @type {string} */ text) {
  if (text === td.says) return;
  if (tracked && td.says !== undefined) td.classList.add("tl-changed");
  td.says = text;
  if (wordless) return td.setAttribute("aria-label", text);
  const span = /** @type {HTMLElement} */ (td.firstElementChild);
  setText(span, text);
  const tight = text.length > fits ? `${(fits / text.length).toFixed(2)}em` : "";
  if ((td.tight ?? "") !== tight) span.style.fontSize = td.tight = tight;
  return undefined;
}
