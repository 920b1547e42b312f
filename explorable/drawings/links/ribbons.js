// The ribbons of LinksView: one per query and key, made once and changed in place.

import { put } from "../../static/shared/dom.js";
import { svg } from "../../static/shared/svg.js";

const LEVELS = 40; // steps in which a ribbon grows wider and fuller

/** An arc from one word of a row to another, the higher the farther; to itself a loop. */
function arcPath(/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ most) {
  const [a, b] = from === to ? [from + 0.2, from + 0.8] : [from + 0.5, to + 0.5];
  const [left, right] = from === to ? [a - 0.3, b + 0.3] : [a, b];
  const y = 100 - 30 - 100 * Math.abs(from - to) / most;
  return `M${a},100C${left},${y} ${right},${y} ${b},100`;
}

export function makeRibbons(/** @type {AttentionLinks} */ { rows, columns, arcs }) {
  const most = Math.max(rows.length, columns.length);
  const ribbons = rows.map((_, r) => columns.map((__, c) => svg("path", {
    d: arcs ? arcPath(r, c, most) : `M0,${r + 0.5}C45,${r + 0.5} 55,${c + 0.5} 100,${c + 0.5}`,
  })));
  const viewBox = arcs ? `0 0 ${most} 100` : `0 0 100 ${most}`;
  const picture = svg("svg", { viewBox, preserveAspectRatio: "none", role: "img" }, ...ribbons.flat());
  return { picture, ribbons };
}

/** The larger the weight, the wider and fuller; without one, none. @param {SVGElement} path */
export function paintRibbon(path, /** @type {number} */ weight) {
  const level = Math.floor(LEVELS * Math.max(0, Math.min(1, weight || 0)) + 0.5);
  put(path, { style: level ? `--level: ${level / LEVELS}` : "--level: 0; visibility: hidden" });
}
