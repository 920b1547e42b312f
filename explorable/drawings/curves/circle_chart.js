// Points on the unit circle, arrows to some, and an arc: the drawing of UnitCircle.

import { put } from "../../static/shared/dom.js";
import { EM, along, apart, linePath, nearest, svg, written } from "../../static/shared/svg.js";

const NAME = 10; // room for a name on either side
const MARGIN = 13; // above and below the plane, for what its axes are

/** The head of an arrow that ends at a point and comes from another. @param {Point} from @param {Point} to */
function headPath([ax, ay], [bx, by], /** @type {number} */ size) {
  const turn = Math.atan2(by - ay, bx - ax);
  const [left, right] = [0.42, -0.42].map((angle) => (
    /** @type {Point} */ ([bx - size * Math.cos(turn + angle), by - size * Math.sin(turn + angle)])));
  return `${linePath([left, [bx, by], right])}z`;
}

/** @param {Curves} p its frame @returns {Chart} */
export function makeCircleChart(p) {
  const side = p.side * EM;
  const wide = side + 2 * NAME;
  const half = side / 2 - MARGIN;
  const [left, right, top, bottom] = [wide / 2 - half, wide / 2 + half, MARGIN, side - MARGIN];
  const x = along([-p.reach, p.reach], left, right);
  const y = along([-p.reach, p.reach], bottom, top);
  const middle = /** @type {Point} */ ([x(0), y(0)]);
  const rules = [
    svg("circle", { cx: x(0), cy: y(0), r: x(1) - x(0), fill: "none" }),
    svg("line", { x1: left, x2: right, y1: y(0), y2: y(0) }),
    svg("line", { x1: x(0), x2: x(0), y1: top, y2: bottom }),
  ];
  // In two corners, where no name of an arrow ever is.
  const axis = [
    svg("text", { x: wide, y: side - 3, "text-anchor": "end" }),
    svg("text", { x: 0, y: 10 }),
  ];
  const paths = ["tl-small-dots", "tl-arc", "tl-arc-head"].map((name) => svg("path", { class: name }));
  const [dots, arc, head] = paths;
  const arrows = p.hues.map((hue) => (
    svg("g", { class: `tl-arrow of-${hue}` }, svg("path"), svg("path", { class: "tl-head" }), svg("text"))));
  const ring = svg("circle", { r: 5.5, class: "tl-ring" });
  const node = svg(
    "svg",
    { viewBox: `0 0 ${wide} ${side}`, style: `width: ${wide / EM}em`, "aria-hidden": "true" },
    svg("g", { class: "tl-rules" }, ...rules),
    svg("g", { class: "tl-ticks" }, ...axis),
    ...paths, ...arrows, ring,
  );

  /** @type {(all: Float64Array) => Point[]} */
  const toPoints = (all) => (
    Array.from({ length: all.length / 2 }, (_, n) => [x(all[2 * n]), y(all[2 * n + 1])]));
  let points = /** @type {Point[]} */ ([]);

  /** The angles at which the names stand, clockwise from the top: no two meet. @param {Point[]} ends */
  function placesOf(ends) {
    const angles = ends.map(([px, py]) => Math.atan2(px - x(0), y(0) - py));
    const near = angles.map((angle) => angle - 2 * Math.PI * Math.round((angle - angles[0]) / (2 * Math.PI)));
    return apart(near, 0.8);
  }

  /** An arrow from the middle, and its name. @param {Element} arrow @param {string} text @param {Point} end */
  function putArrow({ children: [line, tip, name] }, text, end, /** @type {number} */ angle) {
    const [dx, dy] = [Math.sin(angle), -Math.cos(angle)];
    const radius = Math.hypot(end[0] - x(0), end[1] - y(0));
    put(line, { d: linePath([middle, end]) });
    put(tip, { d: headPath(middle, end, 9) });
    put(name, {
      x: (x(0) + (radius + 9) * dx).toFixed(2), y: (y(0) + (radius + 12) * dy + 3).toFixed(2), text,
      "text-anchor": dx > 0.3 ? "start" : dx < -0.3 ? "end" : "middle",
    });
  }

  return {
    node,
    resize() {}, // a circle stays as large as it is
    update(now, at, tables) {
      points = toPoints(at);
      put(dots, { d: points.map((point) => `M${written(point)}h0`).join("") });
      const turn = toPoints(tables[`${p.name}.arc`].at);
      const [before, last] = turn.slice(-2);
      put(arc, { d: linePath(turn) });
      put(head, { d: last ? headPath(before, last, 5) : "" });
      const ends = toPoints(tables[`${p.name}.arrows`].at);
      const places = placesOf(ends);
      arrows.forEach((arrow, n) => putArrow(arrow, now.arrows[n], ends[n], places[n]));
      now.axes.forEach((text, n) => put(axis[n], { text: `${text} ${"→↑"[n]}` }));
    },
    look(row) {
      const [cx, cy] = points[row ?? -1] ?? [0, 0];
      put(ring, { cx, cy, visibility: points[row ?? -1] ? "visible" : "hidden" });
    },
    rowAt: (px, py) => nearest(points, ([ax, ay]) => (ax - px) ** 2 + (ay - py) ** 2),
  };
}
