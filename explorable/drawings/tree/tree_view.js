// TreeView: tokens behind tokens, from left to right; branches that can be folded.
//
// What is drawn is in Tree, tree.py. A place is node n: {panel, row: n, column: 0}. What is
// folded is the page's own, and stays while the tree grows.

import { chip, cut, make, put, setText, stepTo } from "../../static/shared/dom.js";
import { number, shadeOf, valueAt } from "../../static/shared/numbers.js";
import { svg } from "../../static/shared/svg.js";
import { makeView } from "../../static/shared/view.js";

const DOWN = 3.2; // em from line to line
const MIDDLE = 1.4; // of a token
const SCORE = 4.4; // em for the score behind the last one
const THICK = 4.5; // pixels of the line to a token that is sure

/** The nodes from the root to one. @param {Tree} tree @param {number} node @returns {number[]} */
const pathTo = (tree, node) => (node < 0 ? [] : [...pathTo(tree, tree.parents[node]), node]);

/** What a branch is called while the tree grows: the words on its way. @param {Tree} tree @param {number} node */
const nameOf = (tree, node) => JSON.stringify(pathTo(tree, node).map((n) => tree.words[n]));

/** Whether a node's branch is folded. @param {Tree} tree @param {number} node */
const isFolded = (tree, node) => tree.behind[node].length > 0 && tree.folds.has(nameOf(tree, node));

/** Where each node that is seen stands: its depth and its row, in the order of reading. @param {Tree} tree */
function placesOf(tree) {
  const places = /** @type {Map<number, Point>} */ (new Map());
  let ends = 0;
  /** @type {(node: number, depth: number) => number} */
  const place = (node, depth) => {
    places.set(node, [depth, 0]); // first, so that the order is that of reading
    const behind = isFolded(tree, node) ? [] : tree.behind[node];
    const rows = behind.map((next) => place(next, depth + 1));
    const row = rows.length ? (rows[0] + rows[rows.length - 1]) / 2 : ends;
    if (!rows.length) ends += 1;
    places.set(node, [depth, row]);
    return row;
  };
  place(0, 0);
  return places;
}

/** @param {View<Tree, Cell>} view @returns {Kind<Tree, Cell>} */
function treeKind(view) {
  const makeNode = (/** @type {string} */ panel, /** @type {number} */ row) => (
    make(
      "div", "tl-node tl-0", { role: "treeitem", tabindex: -1 },
      { "data-panel": panel, "data-row": row, "data-column": 0 },
      make("span", "tl-fold", { "aria-hidden": true }), make("b"), make("small"), make("i", "tl-score"),
    ));

  /** The state of a node in words. @param {Tree} tree @param {number} node */
  function stateOf(tree, node) {
    const state = tree.states[node];
    return pathTo(tree, tree.taken).includes(node) ? `taken, ${state}` : state;
  }

  /** Show a node: its word, number and state, and where it stands. @param {Tree} tree @param {number} node */
  function showNode(tree, node, /** @type {Point | undefined} */ at) {
    const home = tree.nodes[node];
    const [sign, word, tail, score] = home.children;
    home.hidden = !at;
    tree.lines[node].toggleAttribute("hidden", !at);
    if (!at) return;
    const { digits, marks, words, states, behind } = tree;
    const state = stateOf(tree, node);
    const taken = state.startsWith("taken");
    const p = valueAt(view.tables[tree.name], node, 0);
    const ended = states[node] === "ended" ? marks.ended : "";
    const look = [taken && "tl-taken", states[node] === "left" && "tl-left"].filter(Boolean);
    const kept = [...home.classList].filter((name) => ["tl-now", "tl-pinned"].includes(name));
    home.className = ["tl-node", shadeOf(p, 1), ...look, ...kept].join(" ");
    const folded = isFolded(tree, node);
    const level = { "aria-level": at[0] + 1, "aria-label": `${words[node]}, ${number(p, digits)}, ${state}` };
    put(home, { ...level, title: words[node] });
    if (behind[node].length) home.ariaExpanded = String(!folded);
    else home.removeAttribute("aria-expanded");
    const branches = behind[node].length > 1;
    setText(sign, folded ? "+" : branches ? "−" : "");
    const isLast = folded || !behind[node].length;
    setText(score, isLast ? number(valueAt(view.tables[tree.name], node, 1), digits) : "");
    word.className = cut(words[node]);
    setText(word, words[node] || "·");
    setText(tail, `${number(p, digits)}${taken ? marks.taken : ""}${ended}`);
    tail.classList.toggle("tl-zero", Number(number(p, digits)) === 0);
    const [left, wide] = tree.columns[at[0]];
    Object.assign(home.style, { left: `${left}em`, width: `${wide}em`, top: `${DOWN * at[1]}em` });
  }

  /** The line from a node's parent to it. @param {Tree} tree @param {number} node @param {Map<number, Point>} places */
  function showLine(tree, node, places) {
    const [from, to] = [places.get(tree.parents[node]), places.get(node)];
    if (!from || !to) return;
    const [left, wide] = tree.columns[from[0]];
    const [a, b] = [left + wide, DOWN * from[1] + MIDDLE];
    const [c, d] = [tree.columns[to[0]][0], DOWN * to[1] + MIDDLE];
    const middle = (a + c) / 2;
    const p = valueAt(view.tables[tree.name], node, 0);
    const taken = stateOf(tree, node).startsWith("taken");
    put(tree.lines[node], {
      d: `M${a} ${b}C${middle} ${b} ${middle} ${d} ${c} ${d}`,
      class: taken ? "tl-taken" : "",
      style: `stroke-width: ${taken ? THICK : Math.max(0.8, 0.6 * THICK * p)}px`,
    });
  }

  /** Let there be so many nodes and lines. @param {Tree} tree */
  function resize({ name, nodes, lines, words, picture }) {
    while (nodes.length > words.length) {
      nodes.pop()?.remove();
      lines.pop()?.remove();
    }
    while (nodes.length < words.length) nodes.push(makeNode(name, nodes.length));
    while (lines.length < words.length) lines.push(svg("path"));
    picture.append(...lines.filter((line) => !line.parentNode));
  }

  /** Put the nodes in the order of reading; one that stands right is not moved. @param {Tree} tree */
  function arrange({ plate, nodes, behind, picture }) {
    let next = picture.nextElementSibling;
    const place = (/** @type {number} */ node) => {
      if (nodes[node] === next) next = next.nextElementSibling;
      else plate.insertBefore(nodes[node], next);
      behind[node].forEach(place);
    };
    place(0);
    if (!nodes.some((home) => home.tabIndex === 0)) nodes[0].tabIndex = 0;
  }

  function draw(/** @type {Tree} */ tree) {
    tree.behind = tree.words.map(() => []);
    tree.parents.forEach((parent, node) => parent >= 0 && tree.behind[parent].push(node));
    resize(tree);
    const places = placesOf(tree);
    tree.order = [...places.keys()];
    tree.nodes.forEach((_, node) => {
      showNode(tree, node, places.get(node));
      showLine(tree, node, places);
    });
    arrange(tree);
    const deepest = Math.max(...[...places.values()].map(([depth]) => depth));
    const wide = tree.columns[deepest][0] + tree.columns[deepest][1] + SCORE;
    const high = DOWN * (1 + Math.max(...[...places.values()].map(([, row]) => row)));
    Object.assign(tree.plate.style, { width: `${wide}em`, height: `${high}em` });
    put(tree.picture, { viewBox: `0 0 ${wide} ${high}` });
  }

  /** Fold a branch, or unfold it. @param {Cell} place @param {boolean} shut */
  function fold(place, shut) {
    const tree = view.drawings[place.panel];
    tree.folds[shut ? "add" : "delete"](nameOf(tree, place.row));
    draw(tree);
    view.go(place);
  }

  return {
    build({ name, title }, { foot }) {
      const picture = svg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
      const nodes = [makeNode(name, 0)];
      const plate = make("div", "tl-tree", { role: "tree", "aria-label": title }, picture, ...nodes);
      const pane = make("div", "tl-branches", plate);
      foot.before(pane);
      return { pane, plate, picture, nodes, lines: [], folds: new Set(), behind: [], order: [] };
    },
    update(tree) {
      const [before, { pane }] = [tree.order.length, tree];
      draw(tree);
      // What has come last is seen, also of a tree that is wider than its place.
      const toEnd = () => {
        const panels = pane.closest(".tl-scrolls");
        if (panels) panels.scrollLeft = panels.scrollWidth;
      };
      if (tree.order.length === before) return;
      requestAnimationFrame(() => requestAnimationFrame(toEnd)); // once it is laid out
    },
    explain(tree, place) {
      const { marks, sentence, words, digits, name, measure, states } = tree;
      const seen = [
        tree.taken >= 0 && `${marks.taken} taken`,
        states.includes("ended") && `${marks.ended} ended`,
        states.includes("left") && "dashed: not kept",
      ].filter(Boolean).join(" · ");
      const signs = seen && `${seen}. `;
      const hint = `${signs}Arrow keys: move; left and right also fold. Click or Space: pin.`;
      if (!place) return { sentence: "Point at a token to see its text.", names: {}, hint };
      const path = pathTo(tree, place.row);
      const p = (/** @type {number} */ node) => number(valueAt(view.tables[name], node, 0), digits);
      const score = number(valueAt(view.tables[name], place.row, 1), digits);
      const names = {
        word: words[place.row] || "·", text: path.map((node) => words[node]).join(" "),
        probability: p(place.row), score: `${measure} ${score}`, state: stateOf(tree, place.row),
      };
      const chips = path.map((node, n) => chip(words[node] || "·", p(node), n ? "×" : ""));
      return { sentence, names, chips, hint, lit: path.map((node) => tree.nodes[node]) };
    },
    key({ key }, place) {
      const tree = view.drawings[place.panel];
      const behind = tree.behind[place.row];
      const folded = isFolded(tree, place.row);
      const to = (/** @type {number} */ row) => { if (row >= 0) view.go({ ...place, row }); };
      if (key === "ArrowRight" && folded) fold(place, false);
      else if (key === "ArrowRight") to(behind[0] ?? -1);
      else if (key === "ArrowLeft" && behind.length && !folded) fold(place, true);
      else if (key === "ArrowLeft") to(tree.parents[place.row]);
      else return false;
      return true;
    },
    click({ target }, place) {
      if (!place || !/** @type {HTMLElement} */ (target).closest(".tl-fold:not(:empty)")) return false;
      fold(place, !isFolded(view.drawings[place.panel], place.row));
      return true;
    },
    step({ panel, row }, key) {
      const { order } = view.drawings[panel];
      const to = stepTo(key, order.indexOf(row), order.length, "ArrowUp PageUp", "ArrowDown PageDown");
      return to === null ? null : { panel, row: order[to], column: 0 };
    },
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, treeKind) };
