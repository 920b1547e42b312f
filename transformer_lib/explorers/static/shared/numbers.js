// Numbers as text, as shades and by place.

const STEPS = 20; // as in plots/colours.py
const DIVERGING = ["scores", "position"]; // as there

/** Write a number as plots.number does. @param {number} x @param {number} digits */
export function number(x, digits) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : x > 0 ? "∞" : "−∞";
  const text = Math.abs(x) >= 10000 ? x.toExponential(2).replace("e+", "e") : x.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** One of a drawing's words for 0, 1, …, or else the number. @type {WordOrNumber} */
export const wordOrNumber = (x, digits, words) => words?.[x] || number(x, digits);

/** The class of a number's shade, in full from `limit` on; view.css mixes it. @param {number} x */
export function shadeOf(x, /** @type {number} */ limit) {
  const share = limit > 0 && !Number.isNaN(x) ? Math.min(1, Math.abs(x) / limit) : 0;
  return `tl-${Math.floor(STEPS * share + 0.5)}`;
}

/** The class of a number's hue where that is not its palette's. @param {string} palette @param {number} x */
export const hueBelow = (palette, x) => (x < 0 && DIVERGING.includes(palette) ? "of-negative" : "");

/** The trait `data` as named tables, without a copy where its bytes lie well. @param {Model} model */
export function decode(model) {
  /** @type {DataView<ArrayBuffer>} */
  const { buffer, byteOffset: from, byteLength } = model.get("data");
  const bytes = from % 8 ? buffer.slice(from, from + byteLength) : buffer;
  const tables = /** @type {Tables} */ ({});
  let start = from % 8 ? 0 : from;
  for (const [name, shape] of model.get("layout_of")) {
    const [rows, columns] = shape;
    tables[name] = { rows, columns, at: new Float64Array(bytes, start, rows * columns) };
    start += 8 * rows * columns;
  }
  return tables;
}

/**
 * Where in a table a cell's number stands: one row or column stands for all of them.
 * @param {Table} table @param {number} row @param {number} column
 */
export function placeIn({ rows, columns }, row, column) {
  const [r, c] = [rows === 1 ? 0 : row, columns === 1 ? 0 : column];
  if (r < rows && c < columns) return [r, c];
  throw new RangeError(`(${row}, ${column}) of ${rows} × ${columns}`);
}

/** The number that a table has for a cell. @param {Table} table @param {number} row @param {number} column */
export function valueAt(table, row, column) {
  const [r, c] = placeIn(table, row, column);
  return table.at[r * table.columns + c];
}
