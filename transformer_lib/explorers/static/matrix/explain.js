// How the number in a cell was made, in little two-storey boxes: what is taken above,
// what it comes to below. It follows from the operation that made the matrix, `made`:
// {op, of: [names of arrays], …}; there is one rule for each op.

import { chip } from "../shared/dom.js";
import { number, placeIn, valueAt, wordOrNumber } from "../shared/numbers.js";

function table(/** @type {Subject} */ { tables }, /** @type {string} */ name) {
  if (tables[name]) return tables[name];
  throw new ReferenceError(`there is no array ${name}`);
}

/** @param {Subject} cell @param {At} at */
const valueOf = (cell, ...[name, row, column]) => valueAt(table(cell, name), row, column);

/** Outline an operand where it is drawn. @param {Subject} cell @param {At} at */
function outline(cell, ...[name, row, column]) {
  const [r, c] = placeIn(table(cell, name), row, column);
  const td = cell.drawings[name]?.cells[r]?.[c];
  if (td) cell.operands.push(td);
}

/** Outline an operand, and say its number as its own drawing does. @param {Subject} cell @param {At} at */
function take(cell, ...at) {
  outline(cell, ...at);
  const { digits, words } = cell.drawings[at[0]] ?? { digits: 2 };
  return wordOrNumber(valueOf(cell, ...at), Math.max(digits, 2), words);
}

/** A box for an operand in the cell's own place. @param {Subject} cell @param {string} text @param {string} name */
const lead = (cell, text, name) => chip(text, take(cell, name, cell.row, cell.column));

/** The box of the cell itself. @param {Subject} cell */
function result(cell, { above = "", look = "tl-equals", digits = Math.max(cell.drawing.digits, 2) } = {}) {
  const { name, words, palette } = cell.drawing;
  const x = valueOf(cell, name, cell.row, cell.column);
  return chip(above, wordOrNumber(x, digits, words), `${look} tl-result of-${palette}`);
}

/**
 * The products of pairs of numbers, and their sum: the cell.
 * @param {Subject} cell @param {number} length @param {(k: number) => [At, At]} pairAt
 */
function dotted(cell, length, pairAt) {
  const products = Array.from({ length }, (_, k) => {
    const [a, b] = pairAt(k);
    const product = valueOf(cell, ...a) * valueOf(cell, ...b);
    const text = number(product, Math.max(cell.drawing.digits, 2));
    const look = `${k ? "tl-plus" : ""} ${product ? "" : "tl-none"}`;
    return chip(`${take(cell, ...a)} × ${take(cell, ...b)}`, text, look);
  });
  return [...products, result(cell)];
}

/**
 * A part of its row's total, and where that total comes from.
 * @param {Subject} cell @param {Made} made
 * @param {number[]} allowed the columns whose parts count
 * @param {(k: number) => string} above
 */
function part(cell, { of: [source], parts, total }, allowed, above) {
  const one = (/** @type {number} */ k, look = "") => chip(above(k), fine(valueOf(cell, parts, cell.row, k)), look);
  const whole = (look = "") => chip("row's sum", fine(valueOf(cell, total, cell.row, 0)), look);
  for (const k of allowed) outline(cell, source, cell.row, k);
  const every = allowed.map((k, n) => one(k, n ? "tl-plus" : "tl-equals"));
  return [one(cell.column), whole("tl-over"), result(cell), whole("tl-where"), ...every];
}

/** The numbers of the cell's row in an array, one after another. @param {Subject} cell @param {string} name */
function terms(cell, name) {
  const labels = cell.drawings[name]?.columns ?? [];
  const { columns: length } = table(cell, name);
  return Array.from({ length }, (_, k) => chip(labels[k] ?? "", take(cell, name, cell.row, k), k ? "tl-plus" : ""));
}

/** Three digits; but never a 0 that is none: a share of it would be a riddle. @param {number} x */
function fine(x) {
  return x && Math.abs(x) < 0.0005 ? x.toExponential(2).replaceAll("-", "−") : number(x, 3);
}

/** Each operand in the cell's own place. @type {Rule} */
const apiece = (cell, { of, leads }) => of.map((name, n) => lead(cell, leads[n], name));
/** @type {Rule} */
const zip = (cell, made) => [...apiece(cell, made), result(cell)];

/** @type {Record<string, Rule>} */
const RULES = {
  zip,
  mask: zip,
  same: apiece,
  given: (cell) => [result(cell, { look: "", digits: 4 })],
  exp: (cell, { of: [a], lead: text }) => [lead(cell, text, a), result(cell)],
  sum: (cell, { of: [a] }) => [...terms(cell, a), result(cell)],
  dot(cell, { of: [a, b] }) {
    const length = Math.max(table(cell, a).columns, table(cell, b).columns);
    return dotted(cell, length, (k) => [[a, cell.row, k], [b, cell.column, k]]);
  },
  mix(cell, { of: [a, b] }) {
    const length = Math.max(table(cell, a).columns, table(cell, b).rows);
    return dotted(cell, length, (k) => [[a, cell.row, k], [b, k, cell.column]]);
  },
  scale(cell, { of: [a], lead: text, steps }) {
    const between = steps.map(([what, x]) => chip(what, number(x, 3)));
    return [lead(cell, text, a), ...between, result(cell)];
  },
  softmax(cell, made) {
    const { of: [a], shift, open } = made;
    const isOpen = (/** @type {number} */ k) => !open || valueOf(cell, open, cell.row, k) !== 0;
    if (!isOpen(cell.column)) {
      outline(cell, a, cell.row, cell.column);
      return [["hidden before the softmax", "no weight"], result(cell)];
    }
    const off = valueOf(cell, shift, cell.row, 0);
    const minus = off ? ` ${off > 0 ? "−" : "+"} ${number(Math.abs(off), 2)}` : "";
    const allowed = cell.drawing.columns.map((_, k) => k).filter(isOpen);
    return part(cell, made, allowed, (k) => `exp(${number(valueOf(cell, a, cell.row, k), 2)}${minus})`);
  },
  share(cell, made) {
    const { columns } = cell.drawing;
    return part(cell, made, columns.map((_, k) => k), (k) => columns[k]);
  },
  mean: (cell, { of: [a] }) => [...terms(cell, a), ["÷", String(table(cell, a).columns)], result(cell)],
  stack: (cell, { made }) => RULES[made[cell.row].op](cell, made[cell.row]),
  root(cell, { of: [a], lead: text, plus }) {
    const more = plus ? [chip("+", fine(plus))] : [];
    return [lead(cell, text, a), ...more, result(cell, { above: "√" })];
  },
  wave(cell, { of: [angles], divisors, texts }) {
    const couple = Math.floor(cell.column / 2);
    const angle = number(valueOf(cell, angles, cell.row, couple), 4);
    const by = number(valueOf(cell, divisors, 0, couple), 4);
    const above = `${cell.column % 2 ? "cos" : "sin"}(${angle})`;
    outline(cell, angles, cell.row, couple);
    return [
      [texts[couple], `${cell.drawing.rows[cell.row]} ÷ ${by}`],
      ["angle", angle, "tl-equals"],
      result(cell, { above, look: "tl-then", digits: 4 }),
    ];
  },
};

/**
 * The boxes of one cell, and the cells that it was made of. What cannot be explained is
 * said plainly to the reader, and loudly to who looks after the page.
 * @param {Omit<Subject, "operands">} around
 */
export function explainCell(around) {
  /** @type {Subject} */
  const cell = { ...around, operands: [] };
  const { name, made } = cell.drawing;
  try {
    if (!Object.hasOwn(RULES, made.op)) throw new TypeError(`there is no rule for ${made.op}`);
    return { chips: RULES[made.op](cell, made), operands: cell.operands };
  } catch (error) {
    console.error(`${name} is not explained:`, error);
    return { chips: RULES.given(cell, made), operands: [] };
  }
}
