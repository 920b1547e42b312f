// Where numbers come from: quiet lines lead from each table to those that are made of it,
// and strong ones to the table of the cell in view from those of the numbers that it was
// made of, which have a frame of their own. All run through the gaps between panels, so
// that they cover no number and no word. Python says which table comes from which.

import { putAll } from "./dom.js";
import { svg, written } from "./svg.js";

const [ROUND, HEAD, LANE, APART] = [7, 3.5, 3, 8]; // pixels: of corners and arrows; between lines, between arrows
const [GAP, BUS] = [22, 8]; // pixels between rows of panels, and from a row to the lines below it

const middle = (/** @type {number} */ a, /** @type {number} */ b) => (a + b) / 2;
const limited = (/** @type {number} */ x) => Math.max(-ROUND, Math.min(ROUND, x / 2));
const isBeside = (/** @type {Rect} */ a, /** @type {Rect} */ b) => a.top < b.bottom && b.top < a.bottom;

/** A line with round corners, and the head of an arrow at its end. @param {Point[]} points */
function arrowPath(points) {
  const corners = points.slice(1, -1).map(([x, y], n) => {
    const [from, to] = [points[n], points[n + 2]].map(([px, py]) => (
      written([x + limited(px - x), y + limited(py - y)])));
    return `L${from}Q${x.toFixed(2)} ${y.toFixed(2)} ${to}`;
  });
  const [[px, py], [x, y]] = points.slice(-2);
  const [dx, dy] = [HEAD * Math.sign(x - px), HEAD * Math.sign(y - py)];
  const head = [[x - dx - dy, y - dy + dx], [x, y], [x - dx + dy, y - dy - dx]];
  const [left, tip, right] = head.map((point) => written(/** @type {Point} */ (point)));
  return `M${written(points[0])}${corners.join("")}L${written([x, y])}M${left}L${tip}L${right}`;
}

/**
 * Where lines run between panels.
 * @param {Panel[]} all @param {[from: Panel, to: Panel][]} links
 */
function makeRoutes(all, links) {
  /** Where the row of a panel ends. @param {Panel} of */
  const footOf = (of) => Math.max(...all.filter(({ box }) => isBeside(box, of.box)).map(({ box }) => box.bottom));

  /** Where it begins. @param {Panel} of */
  const headOf = (of) => Math.min(...all.filter(({ box }) => isBeside(box, of.box)).map(({ box }) => box.top));

  /** Whether the way to the right is free. @param {Panel} from @param {Panel} to */
  const isNext = ({ box: a }, { box: b }) => isBeside(a, b) && b.left >= a.right
    && !all.some(({ box }) => isBeside(box, a) && box.left >= a.right && box.right <= b.left);

  /** How far a line is from the middle of all that run below its row: one for each panel they come from. */
  function laneOf(/** @type {Panel} */ from) {
    const sources = new Set(links.filter(([a, b]) => isBeside(a.box, from.box) && !isNext(a, b)).map(([a]) => a));
    return ([...sources].indexOf(from) - (sources.size - 1) / 2) * Math.min(LANE, 2 * BUS / sources.size);
  }

  /** How far an arrow is from the middle of all that come to its panel. @param {Panel} from @param {Panel} to */
  function turnOf(from, to) {
    const others = links.filter(([, b]) => b === to).map(([a]) => a);
    return (others.indexOf(from) - (others.length - 1) / 2) * APART;
  }

  /** @param {Panel} from @param {Panel} to */
  return (from, to) => {
    const turn = turnOf(from, to);
    if (isNext(from, to)) {
      const y = middle(Math.max(from.table.top, to.table.top), Math.min(from.table.bottom, to.table.bottom)) + turn;
      return arrowPath([[from.table.right + 2, y], [to.table.left - 3, y]]);
    }
    const [isBelow, isAbove] = [to.box.top >= from.box.bottom, to.box.bottom <= from.box.top];
    const lane = BUS + laneOf(from);
    const y = isAbove ? headOf(from) - GAP + lane : footOf(from) + lane;
    /** @type {Point} */
    const start = isAbove ? [from.box.left + GAP, from.box.top - 1]
      : [middle(from.table.left, from.table.right), from.box.bottom + 1];
    const x = (isAbove ? middle(to.table.left, to.table.right) : to.box.left + GAP) + turn;
    const end = isBelow ? to.box.top - 2 : to.box.bottom + 2;
    const isBetween = (/** @type {Rect} */ box) => (
      isBelow ? box.top >= y && box.bottom <= to.box.top : isAbove && box.bottom <= y && box.top >= to.box.bottom);
    const isBlocked = all.some(({ box }) => isBetween(box) && box.left < x + 2 && box.right > x - 2);
    const [aside, last] = [lane - GAP, isBelow ? to.box.top - GAP + lane : footOf(to) + lane]; // beside all panels
    const way = /** @type {Point[]} */ (isBlocked ? [[aside, y], [aside, last], [x, last]] : [[x, y]]);
    return arrowPath([start, [start[0], y], ...way, [x, end]]);
  };
}

/**
 * The lines of a view, drawn again when something has another place.
 * @param {HTMLElement} root @param {AbortSignal} signal
 */
export function makeFlow(root, signal) {
  const [quiet, strong] = ["tl-quiet-flow", "tl-traced"].map((name) => (
    svg("svg", { class: `tl-flow ${name}`, "aria-hidden": "true" })));
  root.prepend(quiet, strong);
  let drawings = /** @type {Record<string, Drawing>} */ ({});
  let plan = "";
  let [cell, operands] = /** @type {[Element | null, Element[]]} */ ([null, []]);
  let frame = 0;

  /** Draw, once a frame at most and within no event: to measure would cost there. */
  function draw() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (root.offsetWidth) drawNow();
    });
  }

  function drawNow() {
    const [{ left: x, top: y, width }, { offsetWidth }] = [root.getBoundingClientRect(), root];
    const unit = offsetWidth / width; // the picture may be zoomed
    const place = (/** @type {Element} */ node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return { left: (left - x) * unit, right: (right - x) * unit, top: (top - y) * unit, bottom: (bottom - y) * unit };
    };
    const panels = /** @type {Record<string, Panel>} */ ({});
    for (const { name, palette, box } of Object.values(drawings)) {
      const table = box.querySelector("table");
      if (!table || !box.checkVisibility()) continue;
      panels[name] = { box: place(box), table: place(table), hue: `of-${palette}` };
    }
    const named = (/** @type {Element | null} */ node) => node?.getAttribute("data-panel") ?? "";
    const isSeen = (/** @type {string} */ name) => name in panels && !drawings[name].box.matches(".tl-veiled");
    const traced = new Set(operands.map(named));
    const to = named(cell);
    const all = Object.values(drawings).flatMap(({ name, sources }) => sources.map((from) => [from, name]));
    for (const from of traced) if (!all.some(([a, b]) => a === from && b === to)) all.push([from, to]);
    const seen = all.filter(([a, b]) => a in panels && b in panels);
    const routeOf = makeRoutes(Object.values(panels), seen.map(([a, b]) => [panels[a], panels[b]]));
    const [tracked, others] = [true, false].map((wanted) => seen.filter(([a, b]) => (
      wanted === (cell !== null && b === to && traced.has(a) && isSeen(a) && isSeen(b)))));
    const show = (/** @type {Element} */ home, /** @type {string[][]} */ links) => (
      putAll(home, () => svg("path"), links.map(([a, b]) => (
        { d: routeOf(panels[a], panels[b]), class: panels[a].hue, "data-from": a, "data-to": b }))));
    show(quiet, others);
    show(strong, tracked);
  }

  const sizes = new ResizeObserver(draw);
  signal.addEventListener("abort", () => {
    sizes.disconnect();
    cancelAnimationFrame(frame);
  });
  document.addEventListener("tl-cover", draw, { signal });
  return {
    /** Which drawings come from which. @param {Record<string, Drawing>} now */
    connect(now) {
      const wanted = Object.values(now).map(({ name, sources }) => [name, ...sources]).join("\n");
      if (now === drawings && wanted === plan) return;
      [drawings, plan] = [now, wanted];
      sizes.disconnect();
      for (const node of [root, ...Object.values(now).map(({ box }) => box)]) sizes.observe(node); // which draws
    },
    /** What the cell in view was made of. @param {Element | null} to @param {Element[]} from */
    trace(to, from) {
      if (to === cell && from.length === operands.length && from.every((node, n) => node === operands[n])) return;
      [cell, operands] = [to, from];
      draw();
    },
  };
}
