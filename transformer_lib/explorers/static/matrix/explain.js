// How the number in a cell was made, in little two-storey boxes: what is taken above,
// what it comes to below. It follows from the operation that made the matrix, `made`:
// {op, of: [names of arrays], …}; there is one rule for each op.

import { number, placeIn, valueAt, wordOrNumber } from "../shared/numbers.js";

/** @import { Chip, Made, Matrix, Tables } from "../shared/types.js" */
/** @typedef {[name: string, row: number, column: number]} At a number of an array */
/** @typedef {(cell: Subject, made: Made) => Chip[]} Rule */

/** The cell that is explained, and the cells that it was made of. */
class Subject {
  /** @type {HTMLElement[]} */
  operands = [];

  /** @param {{ drawing: Matrix, row: number, column: number, tables: Tables, drawings: Record<string, Matrix> }} all */
  constructor({ drawing, row, column, tables, drawings }) {
    this.drawing = drawing;
    this.row = row;
    this.column = column;
    this.tables = tables;
    this.drawings = drawings;
    this.digits = Math.max(drawing.digits, 2);
  }

  /** @param {string} name */
  table(name) {
    if (!this.tables[name]) throw new ReferenceError(`there is no array ${name}`);
    return this.tables[name];
  }

  /** @param {At} at */
  at(...[name, row, column]) {
    return valueAt(this.table(name), row, column);
  }

  /** Outline an operand where it is drawn. @param {At} at */
  outline(...[name, row, column]) {
    const [r, c] = placeIn(this.table(name), row, column);
    const td = this.drawings[name]?.cells[r]?.[c];
    if (td) this.operands.push(td);
  }

  /** Outline an operand, and say its number as its own drawing does. @param {At} at */
  take(...at) {
    this.outline(...at);
    const { digits, words } = this.drawings[at[0]] ?? { digits: 2 };
    return wordOrNumber(this.at(...at), Math.max(digits, 2), words);
  }

  /** A box for an operand in this cell's own place. @returns {Chip} */
  lead(/** @type {string} */ text, /** @type {string} */ name) {
    return [text, this.take(name, this.row, this.column)];
  }

  /** The box of the cell itself. @returns {Chip} */
  result(above = "", look = "tl-equals", digits = this.digits) {
    const { name, words, palette } = this.drawing;
    const text = wordOrNumber(this.at(name, this.row, this.column), digits, words);
    return [above, text, `${look} tl-result of-${palette}`];
  }

  /**
   * The products of pairs of numbers, and their sum: this cell.
   * @param {number} length
   * @param {(k: number) => [At, At]} pair
   * @returns {Chip[]}
   */
  sum(length, pair) {
    /** @type {Chip[]} */
    const products = Array.from({ length }, (_, k) => {
      const [a, b] = pair(k);
      const product = this.at(...a) * this.at(...b);
      const look = `${k ? "tl-plus" : ""} ${product ? "" : "tl-none"}`;
      return [`${this.take(...a)} × ${this.take(...b)}`, number(product, this.digits), look];
    });
    return [...products, this.result()];
  }

  /**
   * A part of its row's total, and where that total comes from.
   * @param {Made} made
   * @param {number[]} allowed the columns whose parts count
   * @param {(k: number) => string} above
   * @returns {Chip[]}
   */
  part({ of: [source], parts, total }, allowed, above) {
    /** @type {(k: number, look?: string) => Chip} */
    const part = (k, look = "") => [above(k), fine(this.at(parts, this.row, k)), look];
    /** @type {(look: string) => Chip} */
    const whole = (look) => ["row's sum", fine(this.at(total, this.row, 0)), look];
    for (const k of allowed) this.outline(source, this.row, k);
    const terms = allowed.map((k, n) => part(k, n ? "tl-plus" : "tl-equals"));
    return [part(this.column), whole("tl-over"), this.result(), whole("tl-where"), ...terms];
  }
}

/** Three digits; but never a 0 that is none: a share of it would be a riddle. @param {number} x */
function fine(x) {
  return x && Math.abs(x) < 0.0005 ? x.toExponential(2).replaceAll("-", "−") : number(x, 3);
}

/** @type {Rule} */
const pair = (cell, { of: [a, b], leads }) => (
  [cell.lead(leads[0], a), cell.lead(leads[1], b), cell.result()]);

/** @type {Record<string, Rule>} */
const RULES = {
  given: (cell) => [cell.result("", "", 4)],

  dot: (cell, { of: [a, b] }) => cell.sum(
    Math.max(cell.table(a).shape[1], cell.table(b).shape[1]),
    (k) => [[a, cell.row, k], [b, cell.column, k]],
  ),

  mix: (cell, { of: [a, b] }) => cell.sum(
    Math.max(cell.table(a).shape[1], cell.table(b).shape[0]),
    (k) => [[a, cell.row, k], [b, k, cell.column]],
  ),

  scale: (cell, { of: [a], lead, steps }) => [
    cell.lead(lead, a),
    ...steps.map(([text, x]) => /** @type {Chip} */ ([text, number(x, 3)])),
    cell.result(),
  ],

  exp: (cell, { of: [a], lead }) => [cell.lead(lead, a), cell.result()],

  softmax(cell, made) {
    const { of: [a], shift, open } = made;
    const isOpen = (/** @type {number} */ k) => !open || cell.at(open, cell.row, k) !== 0;
    if (!isOpen(cell.column)) {
      cell.outline(a, cell.row, cell.column);
      return [["hidden before the softmax", "no weight"], cell.result()];
    }
    const off = cell.at(shift, cell.row, 0);
    const minus = off ? ` ${off > 0 ? "−" : "+"} ${number(Math.abs(off), 2)}` : "";
    const allowed = cell.drawing.columns.map((_, k) => k).filter(isOpen);
    const power = (/** @type {number} */ k) => number(cell.at(a, cell.row, k), 2);
    return cell.part(made, allowed, (k) => `exp(${power(k)}${minus})`);
  },

  share(cell, made) {
    const { columns } = cell.drawing;
    return cell.part(made, columns.map((_, k) => k), (k) => columns[k]);
  },

  zip: pair,
  mask: pair,

  same: (cell, { of, leads }) => of.map((name, n) => cell.lead(leads[n], name)),

  mean(cell, { of: [a] }) {
    const labels = cell.drawings[a]?.columns ?? [];
    /** @type {Chip[]} */
    const terms = Array.from({ length: cell.table(a).shape[1] }, (_, k) => (
      [labels[k] ?? "", cell.take(a, cell.row, k), k ? "tl-plus" : ""]));
    return [...terms, ["÷", String(terms.length)], cell.result()];
  },

  root(cell, { of: [a], lead, plus }) {
    /** @type {Chip[]} */
    const more = plus ? [["+", fine(plus)]] : [];
    return [cell.lead(lead, a), ...more, cell.result("√")];
  },

  wave(cell, { of: [angles], divisors, texts }) {
    const couple = Math.floor(cell.column / 2);
    const angle = number(cell.at(angles, cell.row, couple), 4);
    const by = number(cell.at(divisors, 0, couple), 4);
    cell.outline(angles, cell.row, couple);
    return [
      [texts[couple], `${cell.drawing.rows[cell.row]} ÷ ${by}`],
      ["angle", angle, "tl-equals"],
      cell.result(`${cell.column % 2 ? "cos" : "sin"}(${angle})`, "tl-then", 4),
    ];
  },

  slope(cell, { of: [weights] }) {
    const { row, column } = cell;
    const [w, other] = [row, column].map((k) => number(cell.at(weights, 0, k), 3));
    cell.outline(weights, 0, row);
    cell.outline(weights, 0, column);
    return [["", row === column ? `${w} × (1 − ${w})` : `− ${w} × ${other}`], cell.result()];
  },
};

/**
 * The boxes of one cell, and the cells that it was made of. What cannot be explained is
 * said plainly to the reader, and loudly to who looks after the page.
 * @param {ConstructorParameters<typeof Subject>[0]} all
 */
export function explainCell(all) {
  const cell = new Subject(all);
  const { name, made } = all.drawing;
  try {
    if (!Object.hasOwn(RULES, made.op)) throw new TypeError(`there is no rule for ${made.op}`);
    return { chips: RULES[made.op](cell, made), operands: cell.operands };
  } catch (error) {
    console.error(`${name} is not explained:`, error);
    return { chips: RULES.given(cell, made), operands: [] };
  }
}
