// ArchitectureView: a model as boxes, the one that is lit and its steps, a vector above each.
//
// What is drawn is in Architecture, architecture.py. A place is box n: {panel, row: n, column: 0},
// or step k of the box that is lit: {panel, row: n, column: k}, k from 1 on.

import { chip, make, put, putAll, setText, stepTo } from "explorable/static/shared/dom.js";
import { hueBelow, number, shadeOf } from "explorable/static/shared/numbers.js";
import { svg } from "explorable/static/shared/svg.js";
import { makeView } from "explorable/static/shared/view.js";

const [SHARE, STRIP] = [0.6, 0.4]; // of a box in its room, and of the strip above it in the rest, as in plan.py
const SAID = 13.2; // the width of words in a column, as there

/** A line with rounded corners is not needed: it runs along the page's sides. @param {Point[]} points */
const pathOf = (points) => points.map(([x, y], n) => `${n ? "L" : "M"}${x} ${y}`).join("");

/** The tip of a line. @param {Point[]} points */
function tipOf(points) {
  const [[a, b], [x, y]] = points.slice(-2);
  const [dx, dy] = [Math.sign(x - a), Math.sign(y - b)];
  return `M${x} ${y}L${x - 0.55 * dx - 0.3 * dy} ${y - 0.55 * dy - 0.3 * dx}l${0.6 * dy} ${0.6 * dx}z`;
}

/** @param {HTMLElement} node @param {number[]} place in em, by the size of the node's letters */
function lay(node, [x, y, wide, high]) {
  Object.assign(node.style, { left: `${x}em`, top: `${y}em`, width: `${wide}em`, height: `${high}em` });
}

/** The frames and the ways, behind the boxes. @param {Architecture["layout"]} layout */
function makeWays([[wide, high], , wires, frames]) {
  const around = frames.map(([x, y, width, height]) => svg("rect", { x, y, width, height, rx: 0.7 }));
  const ways = wires.flatMap(([points, hue, tip]) => [
    svg("path", { d: pathOf(points), class: hue && `of-${hue}` }),
    ...(tip ? [svg("path", { d: tipOf(points), class: `tl-tip ${hue && `of-${hue}`}` })] : []),
  ]);
  return svg("svg", { "aria-hidden": "true", viewBox: `0 0 ${wide} ${high}` }, ...around, ...ways);
}

/** @param {View<Architecture, Cell>} view @returns {Kind<Architecture, Cell>} */
function architectureKind(view) {
  const makeBox = (/** @type {string} */ panel, /** @type {number} */ row, /** @type {number} */ column, hue = "") => (
    make("button", `tl-box ${hue && `of-${hue}`}`, {
      tabindex: -1, "data-panel": panel, "data-row": row, "data-column": column,
    }, make("span")));

  /** The vector that left a box; where it has not been, nothing. @param {Architecture} drawing @param {number} n */
  function showStrip({ name, strips, vmax }, n) {
    const { columns, at } = view.tables[name];
    const row = [...at.subarray(n * columns, (n + 1) * columns)];
    strips[n].hidden = row.every(Number.isNaN);
    putAll(strips[n], () => make("i"), row.map((x) => ({ class: `${shadeOf(x, vmax)} ${hueBelow(x)}` })));
  }

  /** The steps of the box that is lit. @param {Architecture} drawing */
  function showSteps({ name, layout, inside, lit, now, what, steps_of: home, name_of: head, what_of: line }) {
    setText(head, layout[1][lit][4]);
    setText(line, what);
    home.hidden = inside.length < 2;
    while (home.children.length > inside.length) home.lastElementChild?.remove();
    while (home.children.length < inside.length) home.append(makeBox(name, lit, home.children.length + 1));
    inside.forEach(([words, hue], n) => {
      const node = /** @type {HTMLElement} */ (home.children[n]);
      const kept = [...node.classList].filter((look) => ["tl-now", "tl-pinned"].includes(look));
      const look = ["tl-box", "tl-substep", hue && `of-${hue}`, n === now && "tl-lit", ...kept].filter(Boolean);
      put(node, { class: look.join(" "), "data-row": lit, title: words });
      setText(node.children[0], words);
      node.ariaCurrent = n === now ? "step" : "false";
    });
  }

  return {
    build(/** @type {Architecture} */ { name, title, layout }, { foot }) {
      const [size, planned, , , spots, inside] = layout;
      const boxes = planned.map(([x, y, wide, high, words, hue], n) => {
        const box = makeBox(name, n, 0, hue);
        lay(box, [x, y, wide, high]);
        setText(box.children[0], words);
        return box;
      });
      const strips = planned.map(([x, y, wide, high]) => {
        const strip = make("span", "tl-strip", { "aria-hidden": true });
        const tall = STRIP * (high / SHARE - high);
        lay(strip, [x + 0.8, y - tall, wide - 1.6, tall]);
        return strip;
      });
      const signs = planned.map(([x, y, wide]) => { // where no way is: a second column has its ways on the right
        const sign = make("b", "tl-sign", "≠");
        lay(sign, [x > planned[0][0] ? x - 0.25 : x + wide - 0.5, y - 0.75, 1.1, 1.1]);
        return sign;
      });
      const words = spots.map(([x, y, room, lines]) => {
        const word = make("div", "tl-spot", make("span", lines > 1 ? "tl-lines" : "tl-cut"));
        lay(word, [x - SAID / 2, y - 0.7 * lines, SAID, 1.4 * lines]); // more words than fit go on to the right
        Object.assign(word.style, { width: "max-content", minWidth: `${SAID}em`, maxWidth: `${room}em` });
        return word;
      });
      const [stepsOf, nameOf, whatOf] = [make("div", "tl-steps"), make("b", "tl-cut"), make("p")];
      const aside = make("div", "tl-inside", nameOf, whatOf, stepsOf);
      Object.assign(aside.style, { left: `${inside[0]}em`, top: `${inside[1]}em`, width: `${inside[2]}em` });
      const plate = make("div", "tl-architecture", { role: "group", "aria-label": title });
      plate.append(makeWays(layout), ...strips, ...boxes, ...signs, aside, ...words);
      Object.assign(plate.style, { width: `${size[0]}em`, height: `${size[1]}em` });
      foot.before(plate);
      return { boxes, strips, signs, words, steps_of: stepsOf, name_of: nameOf, what_of: whatOf };
    },
    update(drawing) {
      const { boxes, signs, words, ends, lit, marked, changed } = drawing;
      boxes.forEach((box, n) => {
        box.classList.toggle("tl-lit", n === lit);
        box.ariaCurrent = n === lit ? "step" : "false";
        showStrip(drawing, n);
        const replaced = marked.includes(n);
        signs[n].hidden = !replaced && !changed.includes(n);
        signs[n].classList.toggle("tl-mild", !replaced);
        put(signs[n], { title: replaced ? "something was replaced here" : "this is not as it was" });
      });
      words.forEach((word, n) => put(word.children[0], { text: ends[n], title: ends[n] }));
      showSteps(drawing);
    },
    explain(drawing, place) {
      const { layout, steps, sentence, name, digits, token, inside, first: start } = drawing;
      const hint = "Click or Enter: go there. Arrow keys: move.";
      if (!place) return { sentence: "Point at a box to see what leaves it.", names: {}, hint };
      const [first, last] = steps[place.row];
      const { row, column } = place;
      const alone = column || first === last;
      const names = {
        token, part: column ? inside[column - 1]?.[0] ?? "" : layout[1][row][4],
        steps: alone ? `step ${first + Math.max(0, column - 1)}` : `steps ${first} to ${last}`,
      };
      const { columns, at } = view.tables[name];
      const vector = [...at.subarray(row * columns, (row + 1) * columns)];
      const known = !column && !vector.every(Number.isNaN);
      const chips = known ? vector.map((x, n) => chip(String(n + start), number(x, digits))) : [];
      return { sentence: known ? sentence : "{part}: {steps}", names, chips, hint };
    },
    step({ panel, row, column }, key) {
      const { boxes, lit, inside } = view.drawings[panel];
      if (column) {
        if (column === 1 && key === "ArrowLeft") return { panel, row: lit, column: 0 };
        const to = stepTo(key, column - 1, inside.length, "ArrowUp ArrowLeft", "ArrowDown ArrowRight");
        return to === null ? null : { panel, row: lit, column: to + 1 };
      }
      if (key === "ArrowRight") return { panel, row: lit, column: 1 };
      const to = stepTo(key, row, boxes.length, "ArrowDown ArrowLeft", "ArrowUp");
      return to === null ? null : { panel, row: to, column: 0 };
    },
    click(_, place) {
      if (!place) return false;
      view.go(place);
      view.kernel.send({ type: "choose", ...place });
      return true;
    },
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, architectureKind) };
