// Which terms of a long sum are said one by one.

export const FEW = 8;
const MOST = 16;

/** Of so many terms, all; or of more than that, the first few. @param {number} length */
export const shownOf = (length) => [...Array(length > MOST ? FEW : length).keys()];

/** Of products that are mostly 0, as a one-hot vector's, the others. @param {number[]} every */
export function worthSaying(every) {
  const others = [...every.keys()].filter((k) => every[k] !== 0);
  const isSparse = every.length > FEW && others.length > 0 && others.length < every.length / 2;
  return isSparse ? others.slice(0, MOST) : shownOf(every.length);
}
