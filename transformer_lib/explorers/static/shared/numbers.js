// Numbers as text, as shades and by place.

/** @import { Model, Table, Tables } from "./types.js" */

const STEPS = 20; // as in plots/colours.py
const DIVERGING = ["scores", "position"]; // as there

/** Write a number as plots.number does. @param {number} x @param {number} digits */
export function number(x, digits) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : x > 0 ? "∞" : "−∞";
  const text = Math.abs(x) >= 10000
    ? x.toExponential(2).replace("e+", "e")
    : x.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/**
 * One of a drawing's words for 0, 1, …, or else the number.
 * @param {number} x
 * @param {number} digits
 * @param {string[]} [words]
 */
export const wordOrNumber = (x, digits, words) => words?.[x] || number(x, digits);

/**
 * The class that colours a number; palette_css in views.py has a rule for each step.
 * @param {string} palette
 * @param {number} x
 * @param {number} limit the magnitude that is coloured in full
 */
export function shade(palette, x, limit) {
  const share = limit > 0 && !Number.isNaN(x) ? Math.min(1, Math.abs(x) / limit) : 0;
  const step = `tl-shade tl-${Math.floor(STEPS * share + 0.5)}`;
  return DIVERGING.includes(palette) && x < 0 ? `${step} of-negative` : step;
}

/**
 * The bytes of the trait `data` as named tables, without a copy where they lie well.
 * @param {Model} model
 */
export function decode(model) {
  /** @type {DataView<ArrayBuffer>} */
  const { buffer, byteOffset, byteLength } = model.get("data");
  const all = byteOffset % 8
    ? new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength))
    : new Float64Array(buffer, byteOffset, byteLength / 8);
  /** @type {Tables} */
  const tables = {};
  let start = 0;
  for (const [name, shape] of model.get("layout_of")) {
    const size = shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    tables[name] = { shape, at: all.subarray(start, (start += size)) };
  }
  return tables;
}

/**
 * Where in a table a cell's number stands: one row or column stands for all of them.
 * @param {Table} table
 * @param {number} row
 * @param {number} column
 */
export function placeIn({ shape: [rows, columns] }, row, column) {
  const [r, c] = [rows === 1 ? 0 : row, columns === 1 ? 0 : column];
  if (!(r < rows && c < columns)) throw new RangeError(`(${row}, ${column}) of ${rows} × ${columns}`);
  return [r, c];
}

/**
 * The number that a table has for a cell.
 * @param {Table} table
 * @param {number} row
 * @param {number} column
 */
export function valueAt(table, row, column) {
  const [r, c] = placeIn(table, row, column);
  return table.at[r * table.shape[1] + c];
}
