// Numbers as text, as shades and by place.

const STEPS = 20; // as in plots/colors.py

/** Write a number as plots.number does. @param {number} x @param {number} digits */
export function number(x, digits) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  const plain = size >= 10000 ? x.toExponential(2).replace("e+", "e") : x.toFixed(digits);
  const text = size < 999 ? plain : plain.replace(/^(-?\d+)(\d{3})(?=\.|$)/, "$1,$2");
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** Write a number that stands alone: as its cell does, if that tells two digits of it, or with more. @type {Write} */
export function fuller(x, digits) {
  const [own, ...more] = [0, 1, 2, 3, 4].filter((n) => n >= digits).map((n) => number(x, n));
  if (told(own) > 1) return own;
  const exact = more.filter((text) => !text.endsWith("0"));
  return exact.find((text) => told(text) > 1) ?? exact[0] ?? own;
}

/** How many digits of a number are told, without zeros before it. @param {string} text */
const told = (text) => text.replace(/\D/g, "").replace(/^0+/, "").length;

/**
 * How the numbers of one sum are written: all alike. Where the largest is too large for the
 * page, or below `least`, all have its power of ten. @type {Alike}
 */
export function alike(numbers, least = 0) {
  const most = Math.max(...numbers.map(Math.abs).filter(Number.isFinite));
  if (!(most > 0) || (most < 10000 && most >= least)) return number;
  const power = Number(most.toExponential(2).split("e")[1]);
  const tail = `e${String(power).replace("-", "−")}`;
  return (x) => (Number.isFinite(x) && x ? `${number(x / 10 ** power, 2)}${tail}` : number(x, 0));
}

/** One of a drawing's words for 0, 1, …, or else the number. @type {WordOrNumber} */
export const wordOrNumber = (x, digits, words) => (words?.length && words[x]) || number(x, digits);

/** The class of a number's shade, in full from `vmax` on. @param {number} x */
export function shadeOf(x, /** @type {number} */ vmax) {
  const share = vmax > 0 && !Number.isNaN(x) ? Math.min(1, Math.abs(x) / vmax) : 0;
  return `tl-${Math.floor(STEPS * share + 0.5)}`;
}

/** The class of a number's hue where that is not its palette's: below 0. @param {number} x */
export const hueBelow = (x) => (x < 0 ? "of-negative" : "");

/** The trait `data` as named tables; one that is as before is the very same. @param {Tables} before */
export function decode(/** @type {Model} */ model, before) {
  const { buffer, byteOffset, byteLength } = model.get("data");
  const [bytes, from] = byteOffset % 8 ? [buffer.slice(byteOffset), 0] : [buffer, byteOffset]; // as they lie
  const all = new Float64Array(bytes, from, byteLength / 8);
  const tables = /** @type {Tables} */ ({});
  let end = 0;
  for (const [name, [rows, columns]] of model.get("layout_of")) {
    const at = all.subarray(end, end += rows * columns);
    const old = before[name];
    const same = old?.rows === rows && old.columns === columns && at.every((x, n) => Object.is(x, old.at[n]));
    tables[name] = same ? old : { rows, columns, at };
  }
  return tables;
}

/** Where in a table a cell's number stands: one row or column may stand for all. @type {InTable<Point>} */
export function placeIn({ rows, columns }, row, column) {
  const [r, c] = [rows === 1 ? 0 : row, columns === 1 ? 0 : column];
  if (r < rows && c < columns) return [r, c];
  throw new RangeError(`(${row}, ${column}) of ${rows} × ${columns}`);
}

/** Where in so many rows and columns the number of most worth stands: the first of about equals. @type {BestIn} */
export function bestIn(table, [rows, columns], worth) {
  const all = Array.from({ length: rows * columns }, (_, n) => {
    const [row, column] = [Math.floor(n / columns), n % columns];
    return worth(valueAt(table, row, column), row, column);
  });
  const most = all.reduce((x, y) => (y > x ? y : x), -Infinity);
  const n = Math.max(0, all.findIndex((x) => x >= most - 0.02 * Math.abs(most)));
  return { row: Math.floor(n / columns), column: n % columns };
}

/** The number that a table has for a cell. @type {InTable<number>} */
export function valueAt(table, row, column) {
  const [r, c] = placeIn(table, row, column);
  return table.at[r * table.columns + c];
}
