// Drawing in SVG: nodes, lines with gaps, markers, names moved apart. Ten units are one
// em, so that drawings grow with the page's text.

import { setText } from "./dom.js";

/** @import { Point, Scale } from "./types.js" */
/** @typedef {Record<string, string | number>} Attributes */

export const EM = 10;

/**
 * A node of an SVG with attributes and a text.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {string} [text]
 */
export function svg(tag, attributes = {}, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  put(node, attributes);
  if (text) node.textContent = text;
  return node;
}

/** Change attributes only where they differ. @param {Element} node @param {Attributes} attributes */
export function put(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
  }
}

/**
 * Make a child for each of these attributes, and set them; `text` is what it says.
 * @param {Element} group @param {"line" | "path" | "text"} tag @param {Attributes[]} all
 */
export function putAll(group, tag, all) {
  while (group.children.length > all.length) group.lastElementChild?.remove();
  while (group.children.length < all.length) group.append(svg(tag));
  all.forEach(({ text = "", ...attributes }, n) => {
    put(group.children[n], attributes);
    setText(group.children[n], String(text));
  });
}

/**
 * Where on the page a number lies: [low, high] goes to [from, to].
 * @param {Scale} scale @param {number} from @param {number} to
 * @returns {(v: number) => number}
 */
export const along = ([low, high], from, to) => (v) => from + ((v - low) / (high - low)) * (to - from);

/** @param {Point} point */
export const isDrawn = ([x, y]) => Number.isFinite(x + y);

/** @param {Point} point */
export const pair = ([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`;

/** A line through these points; where one is no number there is a gap. @param {Point[]} points */
export function linePath(points) {
  let pen = "M";
  return points.map((point) => {
    const step = isDrawn(point) ? `${pen}${pair(point)}` : "";
    pen = step ? "L" : "M";
    return step;
  }).join("");
}

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
  points.filter(isDrawn).map((point) => `M${pair(point)}${MARKERS[marker]}`).join(""));

/** Which of the points is nearest. @param {Point[]} points @param {(point: Point) => number} far */
export const nearest = (points, far) => (
  points.reduce((best, point, n) => (far(point) < far(points[best]) ? n : best), 0));

/**
 * Move heights apart until neighbours differ by `least`; as `apart` in plots.
 * @param {number[]} heights @param {number} least
 */
export function apart(heights, least) {
  const order = heights.map((_, n) => n).sort((a, b) => heights[a] - heights[b]);
  const placed = order.map((n) => heights[n]);
  for (let turn = 0; turn < 60; turn += 1) {
    for (let n = 1; n < placed.length; n += 1) {
      const short = least - (placed[n] - placed[n - 1]);
      if (short > 1e-9) { placed[n - 1] -= short / 2; placed[n] += short / 2; }
    }
  }
  /** @type {number[]} */
  const result = [];
  order.forEach((n, k) => { result[n] = placed[k]; });
  return result;
}
