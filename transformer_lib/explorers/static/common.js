// What every view shares: numbers, text, arrays and shades. Python puts this file in
// front of the view's own, so that each view remains one self-contained module.

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

/** What a cell says: its veil if it is masked, one of its words, or its number. */
function cellText(p, x, hidden) {
  return (hidden && p.veil) || (p.words?.[x] ?? number(x, p.digits));
}

/** A new element with a class and a text. The text is data, never markup. */
function make(tag, name = "", text = "") {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text) node.textContent = text;
  return node;
}

/**
 * Change a text only where it differs, so that an unchanged page costs nothing.
 * In a list every second piece is a name, set apart whatever its direction.
 */
function setText(node, text) {
  const pieces = [text].flat();
  if (node.textContent === pieces.join("")) return;
  node.replaceChildren(...pieces.map((piece, n) => (n % 2 ? make("bdi", "", piece) : piece)));
}

/** The bytes of the trait `data` as named arrays: {name: {shape, at}}. */
function decode(model) {
  const view = model.get("data");
  const bytes = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
  const all = new Float64Array(bytes);
  const arrays = {};
  let start = 0;
  for (const [name, shape] of model.get("layout_of")) {
    const size = shape.reduce((a, b) => a * b, 1);
    arrays[name] = { shape, at: all.subarray(start, (start += size)) };
  }
  return arrays;
}

/** Where in an array a cell's number stands: one row or column stands for all of them. */
function placeIn({ shape: [rows, columns] }, row, column) {
  const [r, c] = [rows === 1 ? 0 : row, columns === 1 ? 0 : column];
  if (!(r < rows && c < columns)) throw new RangeError(`(${row}, ${column}) of ${rows} × ${columns}`);
  return [r, c];
}

/** The number that an array has for a cell. */
function valueAt(array, row, column) {
  const [r, c] = placeIn(array, row, column);
  return array.at[r * array.shape[1] + c];
}

/** The class that colours a number: palette_css in views.py has one per shade. */
function shade(palette, x, limit) {
  const share = limit > 0 && !Number.isNaN(x) ? Math.min(1, Math.abs(x) / limit) : 0;
  const hue = DIVERGING.includes(palette) && x < 0 ? "negative" : palette;
  return `${hue}-${Math.floor(STEPS * share + 0.5)}`;
}
