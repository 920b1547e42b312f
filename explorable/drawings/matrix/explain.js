// How the number in a cell was made, in little two-storey boxes: what is taken above,
// what it comes to below. It follows from the operation that made the matrix, `made`:
// {op, of: [names of arrays], …}; there is one rule for each op.

import { chip } from "../../static/shared/dom.js";
import { number, placeIn, valueAt, wordOrNumber } from "../../static/shared/numbers.js";

const [MOST, FEW] = [16, 8]; // of more terms only a few are said one by one

/** Three digits; but never a 0 that is none: a share of it would be a riddle. @param {number} x */
function fine(x) {
  return x && Math.abs(x) < 0.0005 ? x.toExponential(2).replaceAll("-", "−") : number(x, 3);
}

/** A rule for each operation, and the cells that it has taken. @param {Subject} cell */
function rulesFor({ drawing, row, column, tables, drawings }) {
  const { name, columns, digits: own, words, palette } = drawing;
  const operands = /** @type {HTMLElement[]} */ ([]);

  function table(/** @type {string} */ of) {
    if (tables[of]) return tables[of];
    throw new ReferenceError(`there is no array ${of}`);
  }

  const valueOf = (/** @type {At} */ ...[of, r, c]) => valueAt(table(of), r, c);

  /** Outline an operand where it is drawn. @param {At} at */
  function outline(...[of, ...at]) {
    const [r, c] = placeIn(table(of), ...at);
    const td = drawings[of]?.cells[r]?.[c];
    if (td) operands.push(td);
  }

  /** Outline an operand, and say its number as its own drawing does. @param {At} at */
  function take(...at) {
    outline(...at);
    const as = drawings[at[0]] ?? { digits: 2 };
    return wordOrNumber(valueOf(...at), Math.max(as.digits, 2), as.words);
  }

  /** The box of the cell itself. */
  function result({ above = "", sign = "=", digits = Math.max(own, 2) } = {}) {
    const text = wordOrNumber(valueOf(name, row, column), digits, words);
    return chip(above, text, sign, `tl-result of-${palette}`);
  }

  /** Each operand in the cell's own place, and what is done to it, one after another. @type {Rule} */
  const inPlace = ({ of, lead = "", leads = [lead], steps = [] }) => [
    ...of.map((operand, n) => chip(leads[n], take(operand, row, column))),
    ...stepped(steps),
  ];
  /** @type {Rule} */
  const resulting = (made) => [...inPlace(made), result()];

  /** The numbers of the cell's row in an array, one after another. @param {string} of */
  function terms(of) {
    const labels = drawings[of]?.columns ?? [];
    const length = table(of).columns;
    const all = shownOf(length).map((k) => chip(labels[k] ?? "", take(of, row, k), k ? "+" : ""));
    return [...all, ...restOf(length, (k) => valueOf(of, row, k))];
  }

  /** Which of so many terms are said one by one. @param {number} length */
  const shownOf = (length) => [...Array(length > MOST ? FEW : length).keys()];

  /** The sum of all the others. @param {number} length @param {(k: number) => number} termOf */
  function restOf(length, termOf) {
    const left = length - shownOf(length).length;
    const sum = Array.from({ length: left }, (_, n) => termOf(length - left + n)).reduce((x, y) => x + y, 0);
    return left ? [chip(`${left} more`, number(sum, Math.max(own, 2)), "+")] : [];
  }

  /** What is done to a number, one step after another. @param {[string, number][]} steps */
  const stepped = (steps) => steps.map(([what, x]) => chip(what, fine(x)));

  /** The products of pairs of numbers, their sum, and what is then done. @param {(k: number) => [At, At]} pairAt */
  function products(/** @type {number} */ length, pairAt, then = /** @type {Chip[]} */ ([])) {
    const productOf = (/** @type {number} */ k) => pairAt(k).reduce((x, at) => x * valueOf(...at), 1);
    const all = shownOf(length).map((k) => {
      const [a, b] = pairAt(k);
      const product = productOf(k);
      const text = number(product, Math.max(own, 2));
      return chip(`${take(...a)} × ${take(...b)}`, text, k ? "+" : "", product ? "" : "tl-none");
    });
    return [...all, ...restOf(length, productOf), ...then, result()];
  }

  /** A row of x times a column of a matrix, and what is then done. @param {string} x @param {string} matrix */
  function rowTimes(x, matrix, then = /** @type {Chip[]} */ ([])) {
    const length = Math.max(table(x).columns, table(matrix).rows);
    return products(length, (k) => [[x, row, k], [matrix, k, column]], then);
  }

  /** Which of tables side by side holds the cell, and in which column. @returns {[number, number]} */
  function besideAt(/** @type {string[]} */ of, at = column, n = 0) {
    const wide = table(of[n]).columns;
    return at < wide ? [n, at] : besideAt(of, at - wide, n + 1);
  }

  /** A part of its row's total, and where that comes from. @param {Made} made @param {Above} above */
  function part({ of: [source], parts, total }, above, isOpen = (/** @type {number} */ k) => k >= 0) {
    const one = (/** @type {number} */ k, sign = "") => chip(above(k), fine(valueOf(parts, row, k)), sign);
    const whole = (sign = "") => chip("row's sum", fine(valueOf(total, row, 0)), sign);
    const open = columns.map((_, k) => k).filter(isOpen);
    for (const k of open) outline(source, row, k);
    const every = open.map((k, n) => one(k, n ? "+" : "="));
    return [one(column), whole("÷"), result(), whole("where"), ...every];
  }

  /** @type {Record<string, Rule>} */
  const rules = {
    ...Object.fromEntries(["zip", "mask", "exp", "scale"].map((op) => [op, resulting])),
    same: inPlace,
    given: ({ lead = "" }) => [result({ above: lead, sign: "", digits: 4 })],
    activate: (made) => [...inPlace(made), result({ above: made.said, sign: "→" })],
    root: ({ plus, ...made }) => [
      ...inPlace({ ...made, plus, steps: plus ? [["+", plus]] : [] }),
      result({ above: "√" }),
    ],
    sum: ({ of: [a] }) => [...terms(a), result()],
    mean: ({ of: [a] }) => [...terms(a), chip("÷", String(table(a).columns)), result()],
    dot({ of: [a, b], steps = [] }) {
      const length = Math.max(table(a).columns, table(b).columns);
      return products(length, (k) => [[a, row, k], [b, column, k]], stepped(steps));
    },
    mix: ({ of: [a, b] }) => rowTimes(a, b),
    affine: ({ of: [x, matrix, ...bias] }) =>
      rowTimes(x, matrix, bias.map((b) => chip("bias", take(b, row, column), "+"))),
    beside({ of, leads }) {
      const [n, at] = besideAt(of);
      return [chip(leads[n], take(of[n], row, at)), result()];
    },
    softmax(made) {
      const { of: [a], shift, open } = made;
      const isOpen = (/** @type {number} */ k) => !open || valueOf(open, row, k) !== 0;
      if (!isOpen(column)) {
        outline(a, row, column);
        return [chip("hidden before the softmax", "no weight"), result()];
      }
      const off = valueOf(shift, row, 0);
      const minus = off ? ` ${off > 0 ? "−" : "+"} ${number(Math.abs(off), 2)}` : "";
      return part(made, (k) => `exp(${number(valueOf(a, row, k), 2)}${minus})`, isOpen);
    },
    share: (made) => part(made, (k) => columns[k]),
    stack: ({ made }) => rules[made[row].op](made[row]),
    wave({ of: [angles], divisors, texts, positions = drawing.rows, odd = 0 }) {
      const couple = Math.floor((column + odd) / 2);
      const angle = number(valueOf(angles, row, couple), 4);
      const by = number(valueOf(divisors, 0, couple), 4);
      outline(angles, row, couple);
      return [
        chip(texts[couple], `${positions[row]} ÷ ${by}`),
        chip("angle", angle, "="),
        result({ above: `${(column + odd) % 2 ? "cos" : "sin"}(${angle})`, sign: "→", digits: 4 }),
      ];
    },
  };
  return { rules, operands };
}

/** The boxes of one cell, and the cells that it was made of. @param {Subject} cell */
export function explainCell(cell) {
  const { name, made } = cell.drawing;
  const { rules, operands } = rulesFor(cell);
  try {
    if (!Object.hasOwn(rules, made.op)) throw new TypeError(`there is no rule for ${made.op}`);
    return { chips: rules[made.op](made), operands };
  } catch (error) { // the number is said plainly to the reader, and this to who looks after the page
    console.error(`${name} is not explained:`, error);
    return { chips: rules.given(made), operands: [] };
  }
}
