// Where numbers come from: quiet lines lead from each table to those that are made of it,
// and strong ones to the table of the cell in view from those of the numbers that it was
// made of, which have a frame of their own. All run through the gaps between panels, which
// are as high as the lines in them need. Python says which table comes from which.

import { putAll } from "./dom.js";
import { makeRoutes } from "./routes.js";
import { svg, written } from "./svg.js";

const [ROUND, HEAD, GAP] = [5, 4, 22]; // pixels: of corners, of heads, and between rows that no line passes
const MUCH_SMALLER = 0.8; // of panels, than in a page that has room

const limited = (/** @type {number} */ x) => Math.max(-ROUND, Math.min(ROUND, x / 2));

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
 * The lines of a view, drawn again when something has another place.
 * @param {HTMLElement} root @param {HTMLElement} picture @param {AbortSignal} signal
 */
export function makeFlow(root, picture, signal) {
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

  /** Where all tables are that are seen, and which of them lines connect. */
  function look() {
    const [{ left: x, top: y, width }, { offsetWidth }] = [root.getBoundingClientRect(), root];
    const shown = width / offsetWidth; // the picture may be zoomed
    const zoom = Math.max(shown, Math.min(1, shown / MUCH_SMALLER)); // lines grow with panels, and hardly shrink
    const place = (/** @type {Element} */ node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return { left: (left - x) / zoom, right: (right - x) / zoom, top: (top - y) / zoom, bottom: (bottom - y) / zoom };
    };
    const panels = /** @type {Record<string, Panel>} */ ({});
    for (const { name, palette, box, provenance: made } of Object.values(drawings)) {
      const first = box.querySelector("td[data-panel]");
      const all = first?.closest("table");
      if (!first || !all || !box.checkVisibility()) continue;
      const [table, { left, top }] = [place(all), place(first)];
      const parts = made?.op === "concat" ? made.inputs.length : 0;
      panels[name] = { box: place(box), table, cells: { ...table, left, top }, hue: `of-${palette}`, parts };
    }
    const all = Object.values(drawings).flatMap(({ name, sources }) => sources.map((from) => [from, name]));
    const links = all.filter(([a, b]) => a in panels && b in panels);
    const routes = makeRoutes(Object.values(panels), links.map(([a, b]) => [panels[a], panels[b]]));
    return { panels, links, unit: zoom / shown, ...routes };
  }

  /** Let the gaps between rows, and the one below them, be as high as their lines need. */
  function makeRoom() {
    if (!root.offsetWidth || !picture.matches(".tl-linked")) return;
    const { panels, rows, needs, unit } = look();
    const boxes = new Map(Object.entries(panels).map(([name, panel]) => [panel, drawings[name].box]));
    rows.forEach((row, n) => row.forEach((panel) => (
      boxes.get(panel)?.style.setProperty("margin-top", `${Math.max(0, unit * (needs[n - 1] ?? 0) - GAP)}px`))));
    picture.style.paddingBottom = `${unit * (needs.at(-1) ?? 0)}px`;
  }

  function drawNow() {
    const { panels, links, ways, unit } = look();
    root.style.setProperty("--unit", String(unit));
    const named = (/** @type {Element | null} */ node) => node?.getAttribute("data-panel") ?? "";
    const isSeen = (/** @type {string} */ name) => name in panels && !drawings[name].box.matches(".tl-veiled");
    const traced = new Set(operands.map(named));
    const to = named(cell);
    const isStrong = links.map(([from, end]) => (
      cell !== null && end === to && traced.has(from) && isSeen(from) && isSeen(end)));
    const paths = links.map(([from, end], n) => (
      { d: arrowPath(ways[n]), class: panels[from].hue, "data-from": from, "data-to": end }));
    putAll(quiet, () => svg("path"), paths.filter((_, n) => !isStrong[n]));
    putAll(strong, () => svg("path"), paths.filter((_, n) => isStrong[n]));
  }

  const sizes = new ResizeObserver(draw);
  signal.addEventListener("abort", () => {
    sizes.disconnect();
    cancelAnimationFrame(frame);
  });
  document.addEventListener("tl-cover", draw, { signal });
  root.addEventListener("tl-arranged", makeRoom);
  return {
    /** Which drawings come from which. @param {Record<string, Drawing>} now */
    connect(now) {
      const wanted = Object.values(now).map(({ name, sources }) => [name, ...sources]).join("\n");
      if (now === drawings && wanted === plan) return;
      [drawings, plan] = [now, wanted];
      picture.classList.toggle("tl-linked", Object.values(now).some(({ sources }) => sources.length));
      sizes.disconnect();
      makeRoom();
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
