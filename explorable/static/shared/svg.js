// Drawing in SVG: nodes, lines with gaps, markers, names moved apart. Ten units are one
// em, so that drawings grow with the page's text.

import { put } from "./dom.js";

export const EM = 10;

/**
 * A node of an SVG with attributes, and nodes in it.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {Element[]} inside
 */
export function svg(tag, attributes = {}, ...inside) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  node.append(...inside);
  put(node, attributes);
  return node;
}

/** Where on the page a number lies: [low, high] goes to [from, to]. @param {Scale} scale */
export function along([low, high], /** @type {number} */ from, /** @type {number} */ to) {
  return (/** @type {number} */ v) => from + ((v - low) / (high - low)) * (to - from);
}

export const isDrawn = (/** @type {Point} */ [x, y]) => Number.isFinite(x + y);

export const written = (/** @type {Point} */ [x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`;

/** A line through these points; where one is no number there is a gap. @param {Point[]} points */
export const linePath = (points) => points.map((point, n) => (
  isDrawn(point) ? `${n && isDrawn(points[n - 1]) ? "L" : "M"}${written(point)}` : "")).join("");

/** @type {Record<string, string>} */
const MARKERS = {
  o: "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
  x: "m-3 -3l6 6m0 -6l-6 6",
  s: "m-2.7 -2.7h5.4v5.4h-5.4z",
  "^": "m0 -3.4l3.3 6h-6.6z",
  D: "m0 -3.6l3.6 3.6l-3.6 3.6l-3.6 -3.6z",
  v: "m0 3.4l3.3 -6h-6.6z",
  "+": "m-3.6 0h7.2m-3.6 -3.6v7.2",
  "*": "m-3.4 0h6.8m-5.1 -3l3.4 6m0 -6l-3.4 6",
};

/** A marker at each point. @param {Point[]} points @param {string} marker */
export const dotsPath = (points, marker) => (
  points.filter(isDrawn).map((point) => `M${written(point)}${MARKERS[marker]}`).join(""));

/** Which of the points is nearest. @param {Point[]} points @param {(point: Point) => number} far */
export const nearest = (points, far) => (
  points.reduce((best, point, n) => (far(point) < far(points[best]) ? n : best), 0));

/** Move heights apart until neighbors differ by `least`; as `apart` in plots. @param {number[]} heights */
export function apart(heights, /** @type {number} */ least) {
  const placed = heights.map((y, n) => ({ y, n })).sort((a, b) => a.y - b.y);
  for (let turn = 0; turn < 60; turn += 1) {
    for (let k = 1; k < placed.length; k += 1) {
      const short = least - (placed[k].y - placed[k - 1].y);
      if (short <= 1e-9) continue;
      placed[k - 1].y -= short / 2;
      placed[k].y += short / 2;
    }
  }
  return placed.sort((a, b) => a.n - b.n).map(({ y }) => y);
}
