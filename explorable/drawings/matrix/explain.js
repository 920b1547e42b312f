// How the number in a cell was made, in little two-storey boxes: what is taken above,
// what it comes to below. It follows from the matrix's `provenance`, as trace.py has it:
// {op, inputs: [names of arrays], params, labels}; there is one rule for each op.

import { chip } from "../../static/shared/dom.js";
import { alike, fuller, number, placeIn, valueAt } from "../../static/shared/numbers.js";
import { bracketed, cellOf, FEW, finely, leastDigits, read, said, shownOf, withEnd, worthSaying } from "./terms.js";

const LARGEST_SHIFT = 20; // scores below it are raised to e as they are, with no shift
const LEAST = 0.01; // a share of parts below it would be a riddle with three digits

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
    const td = cellOf([of, r, c], drawings, tables);
    if (td) operands.push(td);
  }

  /** Outline an operand, and say its number as its own drawing does. @param {At} at */
  const take = (...at) => takeAs(number, at);

  /** What a factor says, with so many more digits if it has them. @param {At} at @param {number} more */
  function factor(at, more) {
    const { digits, words: names } = drawings[at[0]] ?? { digits: 2 };
    const [x, fewest] = [valueOf(...at), Math.max(digits, 2)];
    const text = said(names, x, fewest);
    return read(text) === x || Number.isNaN(read(text)) ? text : number(x, fewest + more);
  }

  /** The same of a term of a sum. @param {Write} write @param {At} at */
  function takeAs(write, at) {
    outline(...at);
    const as = drawings[at[0]] ?? { digits: 2 };
    return said(as.words, valueOf(...at), Math.max(as.digits, 2), write);
  }

  /** The box of the cell itself. */
  function result({ above = "", sign = "=", digits = Math.max(own, 2), say = number } = {}) {
    const text = said(words, valueOf(name, row, column), digits, say);
    return chip(above, text, sign, `tl-result of-${palette}`);
  }

  /** The box of a number that is said by itself. */
  const alone = (above = "") => result({ above, sign: "", digits: own, say: fuller });

  /** Tables in the cell's own place, each with what it is called. @param {string[]} of @param {string[]} labels */
  const inPlace = (of, labels, between = "") => (
    of.map((one, n) => chip(labels[n], take(one, row, column), n ? between : "")));
  /** @type {Rule} */
  const resulting = ({ inputs, labels }) => [...inPlace(inputs, labels, ","), result({ sign: "→" })];

  /** A constant that a step takes, which may be small. @param {number} x */
  const constant = (x) => alike([x], 0.0005)(x, Math.max(own, 2));

  /** What is done to a number, one step after another. @param {string[]} of tables that steps take */
  function stepped(of, /** @type {string[]} */ labels, /** @type {Params} */ { steps = [] }, more = 0) {
    const rest = [...of];
    return steps.map(([sign, x], n) => {
      const text = x === null ? factor([rest.shift() ?? "", row, column], more) : constant(x);
      return chip(labels[n].replace(sign, "").trim(), text, sign);
    });
  }

  /** The numbers of the cell's row in an array, one after another. @param {string} of @param {Write} write */
  function terms(of, write) {
    const labels = drawings[of]?.columns ?? [];
    const length = table(of).columns;
    const all = shownOf(length).map((k) => chip(labels[k] ?? "", takeAs(write, [of, row, k]), k ? "+" : ""));
    return [...all, ...restOf(length, (k) => valueOf(of, row, k), write)];
  }

  /** The sum of all the others. @param {number} length @param {(k: number) => number} termOf */
  function restOf(length, termOf, /** @type {Write} */ write, shown = shownOf(length)) {
    const left = [...Array(length).keys()].filter((k) => !shown.includes(k));
    const sum = left.reduce((x, k) => x + termOf(k), 0);
    return left.length ? [chip(`${left.length} more`, write(sum, Math.max(own, 2)), "+")] : [];
  }

  /**
   * The products of pairs of numbers, what else is added, what is then done, and what that gives.
   * @param {(k: number) => [At, At]} pairAt @param {string[]} added @param {Chip[]} then
   */
  function products(/** @type {number} */ length, pairAt, added, then) {
    const productOf = (/** @type {number} */ k) => pairAt(k).reduce((x, at) => x * valueOf(...at), 1);
    const every = Array.from({ length }, (_, k) => productOf(k));
    const plus = added.map((one) => valueOf(one, row, column));
    const write = alike([...every, ...plus, valueOf(name, row, column)]);
    const shown = worthSaying(every);
    /** The factors of a term, with so many more digits. @param {number} k @param {number} more */
    const factors = (k, more) => pairAt(k).map((at) => factor(at, more));
    const boxesIn = (/** @type {number} */ finer) => {
      const say = finely(write, finer);
      const sayOf = (/** @type {number} */ x) => say(x, Math.max(own, 2));
      const isTrue = (/** @type {number} */ more) => shown.every((k) => {
        const product = factors(k, more).map(read).reduce((x, y) => x * y);
        return Number.isNaN(product) || sayOf(product) === sayOf(every[k]);
      });
      const more = leastDigits(isTrue, finer);
      const all = shown.map((k, n) => (
        chip(factors(k, more).join(" × "), sayOf(every[k]), n ? "+" : "", every[k] ? "" : "tl-none")));
      const biases = added.map((one) => chip("bias", takeAs(say, [one, row, column]), "+"));
      return [...all, ...restOf(length, productOf, say, shown), ...biases, ...then];
    };
    for (const at of shown.flatMap(pairAt)) outline(...at);
    return withEnd(boxesIn, result({ say: write }));
  }

  /** Which of tables side by side holds the cell, and in which column. @returns {[number, number]} */
  function besideAt(/** @type {string[]} */ of, at = column, n = 0) {
    const wide = table(of[n]).columns;
    return at < wide ? [n, at] : besideAt(of, at - wide, n + 1);
  }

  /** A part of its row's sum, and where that comes from: columns that are open, shown or not. @param {string} source */
  function part(source, /** @type {Parts} */ { above, value }, isOpen = (/** @type {number} */ k) => k >= 0) {
    const shown = columns.length;
    const open = [...Array(Math.max(shown, table(source).columns)).keys()].filter(isOpen);
    const [seen, others] = [open.filter((k) => k < shown), open.filter((k) => k >= shown)];
    const sumOf = (/** @type {number[]} */ all) => all.reduce((sum, k) => sum + value(k), 0);
    const write = alike([sumOf(open)], LEAST);
    const one = (/** @type {number} */ k, sign = "") => chip(above(k), write(value(k), 3), sign);
    const whole = (sign = "") => chip("row’s sum", write(sumOf(open), 3), sign);
    for (const k of seen) outline(source, row, k);
    const every = seen.map((k, n) => one(k, n ? "+" : "="));
    const rest = others.length ? [chip(`${others.length} more`, write(sumOf(others), 3), "+")] : [];
    return [one(column), whole("÷"), result(), whole("where"), ...every, ...rest];
  }

  /** What explains a cell of an input that is not drawn, in its place. @param {Provenance} made @param {At} at */
  function inside(made, [of, r, c]) {
    const there = rulesFor({ drawing: { ...drawing, name: of }, row: r, column: c, tables, drawings });
    const chips = there.chipsOf(made, r);
    operands.push(...there.operands);
    return chips;
  }

  /** Whether an input is not drawn, but a sum of few products. @type {(of: string, made?: Provenance) => boolean} */
  const isShort = (of, made) => {
    if (drawings[of] || !made || made.changed || made.also) return false;
    const { op, inputs: [a], params, parts } = made;
    return op === "matmul" ? table(a).columns <= FEW : !params.function && isShort(a, parts?.[0]);
  };

  /** @type {Record<string, Rule>} */
  const rules = {
    mask: resulting,
    fill: resulting,
    leaf: ({ labels: [label = ""] }) => [alone(label)],
    elementwise({ inputs: [a, ...rest], params, labels: [label, ...labels], parts: [made] = [] }) {
      const bent = params.function && { above: params.function, sign: "→" };
      const end = result(bent || {});
      const short = isShort(a, made) && inside(made, [a, row, column]).slice(0, -1);
      for (const of of short ? rest : [a, ...rest]) outline(of, row, column);
      const sayWith = (/** @type {number} */ more) => (
        [...short || [chip(label, factor([a, row, column], more))], ...stepped(rest, labels, params, more)]);
      return short || params.function ? [...sayWith(0), end] : withEnd(sayWith, end);
    },
    reduce({ inputs: [a], params: { how } }) {
      const { columns: length } = table(a);
      const by = how === "mean" ? [chip("", String(length), "÷")] : [];
      const write = alike([...Array.from({ length }, (_, k) => valueOf(a, row, k)), valueOf(name, row, column)]);
      const boxesIn = (/** @type {number} */ finer) => [...terms(a, finely(write, finer)), ...by];
      return withEnd(boxesIn, result({ say: write }));
    },
    matmul({ inputs: [a, b, ...bias], params, labels }) {
      const { columns: wide, rows: high } = table(b);
      const length = Math.max(table(a).columns, params.transposed ? wide : high);
      const pairAt = (/** @type {number} */ k) => /** @type {[At, At]} */ (
        [[a, row, k], params.transposed ? [b, column, k] : [b, k, column]]);
      return products(length, pairAt, bias, stepped([], labels, params));
    },
    concat({ inputs, labels, parts }) {
      const [n, at] = besideAt(inputs);
      const [of, made] = [inputs[n], parts?.[n]];
      if (drawings[of] || !made || made.op === "leaf") return [chip(labels[n], take(of, row, at)), result()];
      return inside(made, [of, row, at]);
    },
    pick({ inputs: [a], params, labels: [label], parts: [made] = [] }) {
      const at = /** @type {At} */ ([a, params.rows[row], column]);
      return isShort(a, made) ? inside(made, at) : [chip(label, take(...at)), result()];
    },
    softmax({ inputs: [a, mask] }) {
      const isOpen = (/** @type {number} */ k) => !mask || valueOf(mask, row, k) !== 0;
      if (!isOpen(column)) {
        outline(a, row, column);
        return [chip("hidden before the softmax", "no weight"), result()];
      }
      const scores = [...Array(Math.max(columns.length, table(a).columns)).keys()].filter(isOpen);
      const top = Math.max(...scores.map((k) => valueOf(a, row, k)));
      const off = Math.abs(top) < LARGEST_SHIFT || !Number.isFinite(top) ? 0 : top;
      const minus = off ? ` ${off > 0 ? "−" : "+"} ${number(Math.abs(off), 2)}` : "";
      return part(a, {
        above: (k) => `exp(${number(valueOf(a, row, k), 2)}${minus})`,
        value: (k) => Math.exp(valueOf(a, row, k) - off),
      }, isOpen);
    },
    normalize_rows({ inputs: [a] }) {
      const made = drawings[a]?.provenance;
      const [x] = made?.params.function === "exp" && !made.params.steps ? made.inputs : [];
      const above = (/** @type {number} */ k) => (x ? `exp(${number(valueOf(x, row, k), 2)})` : columns[k]);
      return part(a, { above, value: (k) => valueOf(a, row, k) });
    },
    sinusoid({ params: { positions, base, d_model: wide, first } }) {
      const feature = first + column;
      const even = feature - feature % 2; // where its pair begins
      const by = base ** (even / wide);
      const angle = number(positions[row] / by, 4);
      return [
        chip(`pos ÷ ${base}^(${even}/${wide})`, `${positions[row]} ÷ ${number(by, 4)}`),
        chip("angle", angle, "="),
        result({ above: `${feature % 2 ? "cos" : "sin"}(${angle})`, sign: "→", digits: 4 }),
      ];
    },
  };

  /** The rule that a row has: of a stack its own; none, where it was changed on its way. */
  function chipsOf(/** @type {Provenance} */ made, at = row) {
    if (made.also) return inPlace(made.also.inputs, made.also.labels);
    if (made.rows) return chipsOf(made.rows[row], 0);
    if (made.changed?.includes(at)) return rules.leaf({ ...made, labels: ["changed on its way"] });
    if (Object.hasOwn(rules, made.op)) return rules[made.op](made);
    throw new TypeError(`there is no rule for ${made.op}`);
  }
  return { chipsOf, plainly: () => [alone()], operands };
}

/** The boxes of one cell, and the cells that it was made of. @param {Subject} cell */
export function explainCell(cell) {
  const { name, provenance } = cell.drawing;
  const { chipsOf, plainly, operands } = rulesFor(cell);
  try {
    return { chips: bracketed(chipsOf(provenance)), operands };
  } catch (error) { // the number is said plainly to the reader, and this to who looks after the page
    console.error(`${name} is not explained:`, error);
    return { chips: plainly(), operands: [] };
  }
}
