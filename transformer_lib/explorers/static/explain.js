// How the number in a cell was made, in little two-storey boxes: what is taken above,
// what it comes to below. It follows from the operation that made the matrix, `made`:
// {op, of: [names of arrays], …}; there is one rule for each op.

class Cell {
  constructor(panel, row, column, arrays, panels) {
    Object.assign(this, { panel, row, column, arrays, panels, operands: [] });
  }

  array(name) {
    if (!this.arrays[name]) throw new ReferenceError(`there is no array ${name}`);
    return this.arrays[name];
  }

  at(name, row, column) {
    return valueAt(this.array(name), row, column);
  }

  /** How many numbers lie along one side of an array, 0 rows or 1 columns. */
  count(name, side) {
    return this.array(name).shape[side];
  }

  /** Say an operand's number as its own drawing does, and outline it there. */
  take(name, row, column) {
    const drawn = this.panels[name];
    this.outline(name, row, column);
    const digits = Math.max(drawn?.digits ?? 2, 2);
    return cellText({ words: drawn?.words, digits }, this.at(name, row, column));
  }

  outline(name, row, column) {
    const [r, c] = placeIn(this.array(name), row, column);
    const td = this.panels[name]?.cells[r]?.[c];
    if (td) this.operands.push(td);
  }

  /** A box for an operand in this cell's own row and column. */
  lead(text, name, look = "") {
    return [text, this.take(name, this.row, this.column), look];
  }

  result(look = "tl-equals", above = "", digits = Math.max(this.panel.digits, 2)) {
    const { name, words, palette } = this.panel;
    const text = cellText({ words, digits }, this.at(name, this.row, this.column));
    return [above, text, `${look} tl-result of-${palette}`];
  }

  /** The products of two arrays' numbers, pair by pair, and their sum: this cell. */
  sum(length, left, right) {
    const boxes = Array.from({ length }, (_, k) => {
      const product = this.at(...left(k)) * this.at(...right(k));
      const text = number(product, Math.max(this.panel.digits, 2));
      const look = `${k ? "tl-plus" : ""} ${product ? "" : "tl-none"}`;
      return [`${this.take(...left(k))} × ${this.take(...right(k))}`, text, look];
    });
    return [...boxes, this.result()];
  }

  /** A part of its row's total, and where that total comes from. */
  part({ of: [source], parts, total }, above, allowed) {
    const box = (k, look = "") => [above(k), fine(this.at(parts, this.row, k)), look];
    const all = (look) => ["row's sum", fine(this.at(total, this.row, 0)), look];
    const terms = allowed.map((k, n) => box(k, n ? "tl-plus" : "tl-equals"));
    for (const k of allowed) this.outline(source, this.row, k);
    return [box(this.column), all("tl-over"), this.result(), all("tl-where"), ...terms];
  }
}

/** Three digits; but never a 0 that is none: a share of it would be a riddle. */
function fine(x) {
  return x && Math.abs(x) < 0.0005 ? x.toExponential(2).replaceAll("-", "−") : number(x, 3);
}

/** What stands between a number and what is taken off it, where anything is. */
function minus(shift) {
  return shift ? ` ${shift > 0 ? "−" : "+"} ${number(Math.abs(shift), 2)}` : "";
}

const plainly = (cell) => [cell.result("", "", 4)];

const pair = (cell, { of: [a, b], leads }) => (
  [cell.lead(leads[0], a), cell.lead(leads[1], b), cell.result()]);

const RULES = {
  given: plainly,

  dot: (cell, { of: [a, b] }) => cell.sum(
    Math.max(cell.count(a, 1), cell.count(b, 1)),
    (k) => [a, cell.row, k],
    (k) => [b, cell.column, k],
  ),

  mix: (cell, { of: [a, b] }) => cell.sum(
    Math.max(cell.count(a, 1), cell.count(b, 0)),
    (k) => [a, cell.row, k],
    (k) => [b, k, cell.column],
  ),

  scale: (cell, { of: [a], lead, steps }) => (
    [cell.lead(lead, a), ...steps.map(([text, x]) => [text, number(x, 3)]), cell.result()]),

  exp: (cell, { of: [a], lead }) => [cell.lead(lead, a), cell.result()],

  softmax(cell, made) {
    const { of: [a], shift, open } = made;
    const isOpen = (k) => !open || cell.at(open, cell.row, k);
    if (!isOpen(cell.column)) {
      cell.outline(a, cell.row, cell.column);
      return [["hidden before the softmax", "no weight"], cell.result()];
    }
    const off = minus(cell.at(shift, cell.row, 0));
    const allowed = cell.panel.columns.map((_, k) => k).filter(isOpen);
    return cell.part(made, (k) => `exp(${cell.take(a, cell.row, k)}${off})`, allowed);
  },

  share: (cell, made) => cell.part(
    made, (k) => cell.panel.columns[k], cell.panel.columns.map((_, k) => k),
  ),

  zip: pair,
  mask: pair,

  same: (cell, { of, leads }) => of.map((name, n) => cell.lead(leads[n], name)),

  mean(cell, { of: [a] }) {
    const labels = cell.panels[a]?.columns ?? [];
    const boxes = Array.from({ length: cell.count(a, 1) }, (_, k) => (
      [labels[k] ?? "", cell.take(a, cell.row, k), k ? "tl-plus" : ""]));
    return [...boxes, ["÷", String(boxes.length)], cell.result()];
  },

  root: (cell, { of: [a], lead, plus }) => (
    [cell.lead(lead, a), ...(plus ? [["+", fine(plus)]] : []), cell.result("tl-equals", "√")]),

  wave(cell, { of: [angles], divisors, texts }) {
    const couple = Math.floor(cell.column / 2);
    cell.outline(angles, cell.row, couple);
    const angle = number(cell.at(angles, cell.row, couple), 4);
    const by = number(cell.at(divisors, 0, couple), 4);
    return [
      [texts[couple], `${cell.panel.rows[cell.row]} ÷ ${by}`],
      ["angle", angle, "tl-equals"],
      cell.result("tl-then", `${cell.column % 2 ? "cos" : "sin"}(${angle})`, 4),
    ];
  },

  slope(cell, { of: [weights] }) {
    const { row, column } = cell;
    const w = (k) => number(cell.at(weights, 0, k), 3);
    cell.outline(weights, 0, row);
    cell.outline(weights, 0, column);
    const text = row === column ? `${w(row)} × (1 − ${w(row)})` : `− ${w(row)} × ${w(column)}`;
    return [["", text], cell.result()];
  },
};

/**
 * The boxes of one cell, and the cells that it was made of. What cannot be explained is
 * said plainly to the reader, and loudly to who looks after the page.
 */
function explainCell(panel, row, column, arrays, panels) {
  const cell = new Cell(panel, row, column, arrays, panels);
  const { op } = panel.made;
  try {
    if (!Object.hasOwn(RULES, op)) throw new TypeError(`there is no rule for ${op}`);
    return [RULES[op](cell, panel.made), cell.operands];
  } catch (error) {
    console.error(`${panel.name} is not explained:`, error);
    return [plainly(cell), []];
  }
}

/** One little two-storey box per term: what is taken, and what it comes to. */
function fill(box, chips) {
  while (box.children.length > chips.length) box.lastChild.remove();
  while (box.children.length < chips.length) {
    const chip = make("span", "tl-chip");
    chip.append(make("i"), make("b"));
    box.append(chip);
  }
  chips.forEach(([top, bottom, look = ""], n) => {
    const chip = box.children[n];
    chip.className = `tl-chip ${look}`;
    setText(chip.firstChild, top);
    setText(chip.lastChild, bottom);
  });
}
