// How a cell was made, in little two-storey boxes: what is taken above, what it comes
// to below. A recipe names the arrays; every number was computed in Python.
//   {kind: "plain"}                                a number that stands for itself
//   {kind: "dot", left, right, across, products}   row of left · row or column of right
//   {kind: "apply", of, lead, steps: [[text, array]]}   a cell, then one step after another
//   {kind: "share", of, parts, total, power?, open?, shift?}   a part of its row's total
//   {kind: "cells", of: [[text, array, class, words]], ends}   cells of these arrays, then its own
//   {kind: "wave", angles, divisors, text}         sine or cosine of a position's angle
//   {kind: "slope", of}                            how softmax's output follows its input

/**
 * The boxes and the operands of one cell.
 * @param p the panel with its recipe @param r its row @param c its column
 * @param arrays as decode gives them @param panels by name, each with its cells
 * @returns {[string[][], HTMLElement[]]} [above, below, class] for each box; operands
 */
function explainCell(p, r, c, arrays, panels) {
  const value = (name, row, column) => arrays[name].at[row * arrays[name].shape[1] + column];
  const digits = Math.max(p.digits, 2);
  const result = ["", cellText({ words: p.words, digits }, value(p.name, r, c)), `tl-equals tl-result of-${p.palette}`];
  const recipe = p.recipe;
  const shown = (name, row, column) => number(value(name, row, column), panels[name].digits);

  const kinds = {
    plain() {
      const text = cellText({ words: p.words, digits: 4 }, value(p.name, r, c));
      return [[["", text, `tl-result of-${p.palette}`]], []];
    },

    dot() {
      const products = arrays[recipe.products].at;
      const terms = Array.from({ length: arrays[recipe.products].shape[2] }, (_, k) => k);
      const start = (r * p.columns.length + c) * terms.length;
      const place = (k) => (recipe.across === "row" ? [c, k] : [k, c]);
      const look = (k) => `${k ? "tl-plus" : ""} ${products[start + k] ? "" : "tl-none"}`;
      const boxes = terms.map((k) => [
        `${shown(recipe.left, r, k)} × ${shown(recipe.right, ...place(k))}`,
        number(products[start + k], digits),
        look(k),
      ]);
      const operands = terms.flatMap((k) => {
        const [row, column] = place(k);
        return [panels[recipe.left].cells[r][k], panels[recipe.right].cells[row][column]];
      });
      return [[...boxes, result], operands];
    },

    apply() {
      const from = [recipe.lead, number(value(recipe.of, r, c), 2)];
      const steps = recipe.steps.map(([text, name]) => [text, number(arrays[name].at[0], 3)]);
      return [[from, ...steps, result], [panels[recipe.of].cells[r][c]]];
    },

    share() {
      const source = panels[recipe.of].cells[r];
      const open = (k) => !recipe.open || value(recipe.open, r, k);
      if (!open(c)) return [[["hidden before the softmax", "no weight"], result], [source[c]]];
      const shift = recipe.shift ? value(recipe.shift, r, 0) : 0;
      const minus = shift ? ` ${shift > 0 ? "−" : "+"} ${number(Math.abs(shift), 2)}` : "";
      const above = (k) => (recipe.power ? `exp(${number(value(recipe.of, r, k), 2)}${minus})` : p.columns[k]);
      const fine = (x) => // never a 0 that is none: a share of it would be a riddle
        x && Math.abs(x) < 0.0005 ? x.toExponential(2).replace("-", "−") : number(x, 3);
      const part = (k, look = "") => [above(k), fine(value(recipe.parts, r, k)), look];
      const allowed = p.columns.map((_, k) => k).filter(open);
      const total = (look) => ["row's sum", fine(value(recipe.total, r, 0)), look];
      const boxes = [part(c), total("tl-over"), result, total("tl-where")];
      const terms = allowed.map((k, n) => part(k, n ? "tl-plus" : "tl-equals"));
      return [[...boxes, ...terms], allowed.map((k) => source[k])];
    },

    cells() {
      const at = (name) => (arrays[name].shape[0] === 1 ? [0, c] : [r, c]);
      const boxes = recipe.of.map(([text, name, look, words]) => [
        text, cellText({ words, digits }, value(name, ...at(name))), look,
      ]);
      const operands = recipe.of.map(([, name]) => panels[name]?.cells[at(name)[0]][c]);
      return [recipe.ends ? [...boxes, result] : boxes, operands];
    },

    wave() {
      const pair = Math.floor(c / 2);
      const wave = c % 2 ? "cos" : "sin";
      const angle = number(value(recipe.angles, r, pair), 4);
      const by = value(recipe.divisors, 0, pair);
      const boxes = [
        [recipe.text[pair], `${p.rows[r]} ÷ ${number(by, 4)}`],
        ["angle", angle, "tl-equals"],
        [`${wave}(${angle})`, number(value(p.name, r, c), 4), `tl-then tl-result of-${p.palette}`],
      ];
      return [boxes, []];
    },

    slope() {
      const w = (k) => number(value(recipe.of, 0, k), 3);
      const above = r === c ? `${w(r)} × (1 − ${w(r)})` : `− ${w(r)} × ${w(c)}`;
      const [row] = panels[recipe.of].cells;
      return [[["", above], result], [row[r], row[c]]];
    },
  };
  return kinds[recipe.kind]();
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
