// Curves over one axis: the drawing, without what the reader does with it.

import { put, putAll } from "../../static/shared/dom.js";
import { EM, along, apart, dotsPath, isDrawn, linePath, nearest, svg } from "../../static/shared/svg.js";

const [LETTER, LINE] = [5.8, 12]; // units of a name: across, and from one to the next

/** @type {["line", "path", "text", "circle"]} */
const TAGS = ["line", "path", "text", "circle"];
const [lineNode, pathNode, textNode, circleNode] = TAGS.map((tag) => () => svg(tag));

/** @param {Curves} p its frame @returns {Chart} */
export function makeLineChart(p) {
  const [wide, high] = [p.wide * EM, p.high * EM];
  const [left, right] = [46, wide - 17 - LETTER * p.room];
  const [top, bottom] = [17, high - 34];
  const middle = { "text-anchor": "middle" };
  const names = ["rules", "ticks", "ticks", "marks", "stubs", "names", "names", "hair", "beads"];
  const layers = names.map((name) => svg("g", { class: `tl-${name}` }));
  const [grid, xs, ys, marks, stubs, ends, words, hair, beads] = layers;
  const axis = [
    svg("text", { x: (left + right) / 2, y: high - 6, ...middle }),
    svg("text", { transform: `translate(9 ${(top + bottom) / 2}) rotate(-90)`, ...middle }),
  ];
  const curves = p.styles.map(({ hue, look, dashes, marker }) => {
    const line = svg("path", { "stroke-dasharray": dashes || "none" });
    const dots = svg("path", { class: ["x", "+", "*"].includes(marker) ? "tl-cross" : "tl-dots" });
    return { one: svg("g", { class: `tl-curve of-${hue}` }, line, dots), line, dots, marker, look };
  });
  const box = { x: left - 5, y: top - 5, width: right - left + 10, height: bottom - top + 10 };
  const viewBox = Object.values(box).join(" ");
  const inside = svg("svg", { ...box, viewBox }, ...curves.map(({ one }) => one)); // beyond, none is seen
  const node = svg(
    "svg",
    { viewBox: `0 0 ${wide} ${high}`, style: `width: ${p.wide}em`, "aria-hidden": "true" },
    grid, xs, ys, svg("g", { class: "tl-ticks" }, ...axis), marks, inside, stubs, ends, words, hair, beads,
  );

  const upright = (/** @type {number} */ x) => ({ x1: x, x2: x, y1: top, y2: bottom, class: "" });
  /** @param {string} text */
  const short = (text) => (text.length > p.room ? `${text.slice(0, p.room - 1)}…` : text);
  let points = /** @type {Point[][]} */ ([]); // of each curve

  /** @type {Chart["update"]} */
  function update({ x: at, limits, ticks: [across, up], axes, marks: marked, series }, values) {
    const x = along(limits[0], left, right);
    const y = along(limits[1], bottom, top);
    points = curves.map((_, n) => at.map((v, row) => [x(v), y(values[row * curves.length + n])]));
    const levels = up.map(([v]) => (
      { x1: left, x2: right, y1: y(v), y2: y(v), class: v === 0 ? "tl-zero-line" : "" }));
    putAll(grid, lineNode, [...across.map(([v]) => upright(x(v))), ...levels]);
    putAll(xs, textNode, across.map(([v, text]) => ({ x: x(v), y: bottom + 13, text, ...middle })));
    putAll(ys, textNode, up.map(([v, text]) => ({ x: left - 5, y: y(v) + 3, text, "text-anchor": "end" })));
    axes.forEach((text, n) => put(axis[n], { text }));
    curves.forEach(({ line, dots, marker, look }, n) => {
      put(line, { d: look === "dots" ? "" : linePath(points[n]) });
      put(dots, { d: look === "line" ? "" : dotsPath(points[n], marker) });
    });
    putMarks(marked.map(([row, word]) => [x(at[row]), short(word)]));
    putNames(series);
  }

  /** A line at each row that is pointed out, and its word above. @param {[number, string][]} marked */
  function putMarks(marked) {
    const longest = Math.max(0, ...marked.map(([, text]) => text.length));
    const places = apart(marked.map(([x]) => x), 5.4 * longest + 4);
    putAll(marks, lineNode, marked.map(([x]) => upright(x)));
    putAll(words, textNode, marked.map(([, text], n) => ({ x: places[n], y: top - 5, text, ...middle })));
  }

  /** Each name where its curve ends; a short line leads from one to the other. @param {string[]} series */
  function putNames(series) {
    const named = series.flatMap((name, n) => {
      const row = name ? points[n].findLastIndex(isDrawn) : -1;
      const [x, y] = points[n][row] ?? [];
      if (y === undefined) return [];
      const edge = row < points[n].length - 1 ? x : right; // the name stands beside it
      return [{ name, x, edge, y: Math.max(top, Math.min(bottom, y)), ...p.styles[n] }];
    });
    const moved = apart(named.map(({ y }) => y), LINE);
    const over = Math.max(0, ...moved.map((y) => y - bottom)); // below are the ticks
    const places = moved.map((y) => y - over);
    putAll(ends, textNode, named.map(({ name, edge }, k) => (
      { x: edge + 17, y: places[k] + 3, text: short(name) })));
    putAll(stubs, pathNode, named.map(({ x, edge, y, hue, look, dashes, marker }, k) => {
      const dots = look === "dots";
      const lead = linePath([[x + 5, y], [edge + 14, places[k]]]);
      const d = dots ? dotsPath([[edge + 10, places[k]]], marker) : lead;
      return { class: `of-${hue}`, "stroke-dasharray": (!dots && dashes) || "none", d };
    }));
  }

  return {
    node, update,
    /** Put the hair line on a row. */
    look(row) {
      const at = row === null ? [] : points.map((curve, n) => ({ at: curve[row], hue: p.styles[n].hue }));
      const seen = at.filter(({ at: [, y] }) => y >= top - 1 && y <= bottom + 1);
      putAll(hair, lineNode, at.slice(0, 1).map(({ at: [x] }) => upright(x)));
      putAll(beads, circleNode, seen.map(({ at: [cx, cy], hue }) => ({ cx, cy, class: `of-${hue}` })));
    },
    /** The row that lies nearest to a point of the drawing, across. */
    rowAt: (x) => nearest(points[0], ([px]) => Math.abs(px - x)),
  };
}
