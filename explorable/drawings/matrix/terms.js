// Which terms of a long sum are said one by one, which sum stands in parentheses, and where
// a table is drawn from whose cells a term is.

import { chip } from "../../static/shared/dom.js";
import { number } from "../../static/shared/numbers.js";

export const FEW = 8;
const MOST = 16;
const MORE = [0, 1, 2, 3]; // digits that terms and factors may have

/** The least of MORE at which this holds, or else another. @param {(more: number) => boolean} holds */
export const leastDigits = (holds, otherwise = 0) => MORE.find(holds) ?? otherwise;

/** Of so many terms, all; or of more than that, the first few. @param {number} length */
export const shownOf = (length) => [...Array(length > MOST ? FEW : length).keys()];

/** Of products that are mostly 0, as a one-hot vector's, the others. @param {number[]} every */
export function worthSaying(every) {
  const others = [...every.keys()].filter((k) => every[k] !== 0);
  const isSparse = every.length > FEW && others.length > 0 && others.length < every.length / 2;
  return isSparse ? others.slice(0, MOST) : shownOf(every.length);
}

/** A word that says something, or else the number. @param {string[] | undefined} words @param {Write} write */
export const said = (words, /** @type {number} */ x, /** @type {number} */ digits, write = number) => (
  words?.[x]?.trim() || write(x, digits));

/** The same, with so many more digits. @param {Write} write @returns {Write} */
export const finely = (write, /** @type {number} */ more) => (x, digits) => write(x, digits + more);

/** The number that a text says, or NaN. @param {string} text */
export const read = (text) => Number(text.replaceAll("−", "-").replaceAll(",", ""));

const SIGNS = /** @type {Record<string, (x: number, y: number) => number>} */ ({
  "+": (x, y) => x + y, "−": (x, y) => x - y, "×": (x, y) => x * y, "÷": (x, y) => x / y,
});

/** Whether what is shown leads, one step after another, to the end that is shown. @param {Chip[]} chips */
export function comesTo([first, ...steps], /** @type {Chip} */ end) {
  const x = steps.reduce((so, [, below, sign = ""]) => SIGNS[sign](so, read(below)), read(first[1]));
  return !Number.isFinite(x) || number(x, end[1].split(".")[1]?.length ?? 0) === end[1];
}

/** A sum in parentheses where it is multiplied or divided. @param {Chip[]} chips */
export function bracketed(chips) {
  let [opened, isSum] = ["", false];
  const all = chips.map(([above, below, sign = "", look = ""]) => {
    const closes = isSum && /[×÷]/.test(sign);
    isSum = !closes && (isSum || /[+−]/.test(sign));
    if (closes) opened += "(";
    return closes ? chip(above, below, `) ${sign}`, `tl-divided ${look}`) : chip(above, below, sign, look);
  });
  if (opened) all[0][2] = opened;
  return all;
}

/**
 * Boxes, and what they come to. A reader who computes with what is shown comes to what is
 * shown: the boxes have as many more digits as that takes.
 * @param {(more: number) => Chip[]} boxesIn so many more digits @param {Chip} end
 */
export const withEnd = (boxesIn, end) => [...boxesIn(leastDigits((more) => comesTo(boxesIn(more), end))), end];

/**
 * The cell that shows a number of a table, which is drawn by itself, or with others side by side.
 * @param {At} at @param {Record<string, Matrix>} drawings
 */
export function cellOf([of, row, column], drawings, /** @type {Tables} */ tables) {
  if (drawings[of]) return drawings[of].cells[row]?.[column];
  const home = Object.values(drawings).find(({ provenance: { op, inputs } }) => op === "concat" && inputs.includes(of));
  const before = home?.provenance.inputs.slice(0, home.provenance.inputs.indexOf(of)) ?? [];
  return home?.cells[row]?.[before.reduce((sum, one) => sum + tables[one].columns, column)];
}
