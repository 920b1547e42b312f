// Points on the unit circle, arrows to some, and an arc: the drawing of Plane.

import { setText } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { EM, along, linePath, nearest, pair, put, svg } from "../shared/svg.js";

/** @import { Chart, Curves, Point } from "../shared/types.js" */

/** The head of an arrow that ends at a point and comes from another. */
function headPath(/** @type {Point} */ [ax, ay], /** @type {Point} */ [bx, by], /** @type {number} */ size) {
  const turn = Math.atan2(by - ay, bx - ax);
  /** @type {(angle: number) => Point} */
  const corner = (angle) => [bx - size * Math.cos(turn + angle), by - size * Math.sin(turn + angle)];
  return `${linePath([corner(0.42), [bx, by], corner(-0.42)])}z`;
}

/** @param {Curves} p its frame @returns {Chart} */
export function makeCircleChart(p) {
  const side = p.side * EM;
  const [left, right, top, bottom] = [30, side - 4, 4, side - 30];
  const x = along([-p.reach, p.reach], left, right);
  const y = along([-p.reach, p.reach], bottom, top);
  const node = svg("svg", { viewBox: `0 0 ${side} ${side}`, "aria-hidden": "true" });
  node.style.width = `${p.side}em`;
  const rules = svg("g", { class: "tl-rules" });
  rules.append(
    svg("circle", { cx: x(0), cy: y(0), r: x(1) - x(0), fill: "none" }),
    svg("line", { x1: left, x2: right, y1: y(0), y2: y(0) }),
    svg("line", { x1: x(0), x2: x(0), y1: top, y2: bottom }),
  );
  const ticks = svg("g", { class: "tl-ticks" });
  for (const v of [-1, 0, 1]) {
    ticks.append(svg("text", { x: x(v), y: bottom + 11, "text-anchor": "middle" }, number(v, 0)));
    ticks.append(svg("text", { x: left - 4, y: y(v) + 3, "text-anchor": "end" }, number(v, 0)));
  }
  const axis = [
    svg("text", { x: x(0), y: side - 5, "text-anchor": "middle" }),
    svg("text", { transform: `translate(9 ${y(0)}) rotate(-90)`, "text-anchor": "middle" }),
  ];
  ticks.append(...axis);
  const dots = svg("path", { class: "tl-small-dots" });
  const arc = svg("path", { class: "tl-arc" });
  const head = svg("path", { class: "tl-arc-head" });
  const arrows = p.hues.map((hue) => {
    const one = svg("g", { class: `tl-arrow of-${hue}` });
    one.append(svg("path"), svg("path", { class: "tl-head" }), svg("text"));
    return one;
  });
  const ring = svg("circle", { r: 5.5, class: "tl-ring" });
  node.append(rules, ticks, dots, arc, head, ...arrows, ring);

  /** @type {(all: Float64Array) => Point[]} */
  const toPoints = (all) => Array.from({ length: all.length / 2 }, (_, n) => [x(all[2 * n]), y(all[2 * n + 1])]);
  /** @type {Point[]} */
  let points = [];

  /** @type {Chart["update"]} */
  function update(now, at, tables) {
    points = toPoints(at);
    put(dots, { d: points.map((point) => `M${pair(point)}h0`).join("") });
    const turn = toPoints(tables[`${p.name}.arc`].at);
    const [before, last] = turn.slice(-2);
    put(arc, { d: linePath(turn) });
    put(head, { d: last ? headPath(before, last, 7) : "" });
    const ends = toPoints(tables[`${p.name}.arrows`].at);
    arrows.forEach((one, n) => {
      /** @type {Point} */
      const middle = [x(0), y(0)];
      const end = ends[n];
      const [line, tip, name] = one.children;
      put(line, { d: linePath([middle, end]) });
      put(tip, { d: headPath(middle, end, 9) });
      const [dx, dy] = [(end[0] - middle[0]) / (x(1) - x(0)), (end[1] - middle[1]) / (x(1) - x(0))];
      put(name, {
        x: (end[0] + 9 * dx).toFixed(2), y: (end[1] + 12 * dy + 3).toFixed(2),
        "text-anchor": dx > 0.3 ? "start" : dx < -0.3 ? "end" : "middle",
      });
      setText(name, now.arrows[n]);
    });
    now.axes.forEach((text, n) => setText(axis[n], text));
  }

  return {
    node, update,
    look(row) {
      const point = points[row ?? -1];
      const [cx, cy] = point ?? [0, 0];
      put(ring, { cx, cy, visibility: point ? "visible" : "hidden" });
    },
    rowAt: (px, py) => nearest(points, ([ax, ay]) => (ax - px) ** 2 + (ay - py) ** 2),
  };
}
