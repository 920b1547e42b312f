// Curves over one axis: the drawing, without what the reader does with it.

import { put, putAll } from "../../static/shared/dom.js";
import { EM, along, apart, dotsPath, isDrawn, linePath, nearest, svg } from "../../static/shared/svg.js";

const [LETTER, DIGIT, LINE] = [6.1, 6.2, 12]; // units of a name and a tick: across, and from a line to the next

/** @type {["line", "path", "text", "circle"]} */
const TAGS = ["line", "path", "text", "circle"];
const [lineNode, pathNode, textNode, circleNode] = TAGS.map((tag) => () => svg(tag));

/** @param {Curves} p its frame @returns {Chart} */
export function makeLineChart(p) {
  let [wide, high] = [p.wide * EM, p.high * EM];
  const top = 17;
  let [left, right, bottom] = [0, 0, 0]; // with the top, of the plane between the scales
  let shown = /** @type {Parameters<Chart["update"]> | null} */ (null);
  const middle = { "text-anchor": "middle" };
  const names = [
    "rules", "ticks tl-xs", "ticks tl-ys", "marks", "stubs", "names", "names", "hair", "beads",
  ];
  const layers = names.map((name) => svg("g", { class: `tl-${name}` }));
  const [grid, xs, ys, marks, stubs, ends, words, hair, beads] = layers;
  const axis = [svg("text", middle), svg("text", middle)];
  const curves = p.styles.map(({ hue, look, dashes, marker }) => {
    const line = svg("path", { "stroke-dasharray": dashes || "none" });
    const dots = svg("path", { class: ["x", "+", "*"].includes(marker) ? "tl-cross" : "tl-dots" });
    return { one: svg("g", { class: `tl-curve of-${hue}` }, line, dots), line, dots, marker, look };
  });
  const inside = svg("svg", {}, ...curves.map(({ one }) => one)); // beyond, none is seen
  const named = svg("g", { class: "tl-ticks tl-axes-named" }, ...axis);
  const all = [grid, xs, ys, named, marks, inside, stubs, ends, words, hair, beads];
  const node = svg("svg", { "aria-hidden": "true" }, ...all);

  const upright = (/** @type {number} */ x) => ({ x1: x, x2: x, y1: top, y2: bottom, class: "" });
  /** @param {string} text */
  const short = (text) => (text.length > p.room ? `${text.slice(0, p.room - 1)}…` : text);
  let points = /** @type {Point[][]} */ ([]); // of each curve

  /** Give the words the room that they need, and the plane the rest.
   * @param {Curves} drawing @param {string[]} series */
  function measure({ ticks: [, up], axes }, series) {
    const longest = (/** @type {string[]} */ texts) => Math.max(0, ...texts.map((text) => text.length));
    const digits = DIGIT * longest(up.map(([, text]) => text));
    left = (axes[1] ? 21 : 6) + digits;
    right = wide - 10 - (series.some(Boolean) ? 13 + LETTER * Math.min(p.room, longest(series)) : 0);
    bottom = high - (axes[0] ? 34 : 20);
    const over = p.styles.some(({ look }) => look !== "line") ? 5 : 1; // half a marker, or half a line
    const box = { x: left - over, y: top - over, width: right - left + 2 * over, height: bottom - top + 2 * over };
    put(node, { viewBox: `0 0 ${wide} ${high}` });
    put(inside, { ...box, viewBox: Object.values(box).join(" ") });
    put(axis[0], { x: (left + right) / 2, y: high - 8 });
    put(axis[1], { transform: `translate(10 ${(top + bottom) / 2}) rotate(-90)` });
  }

  /** @type {Chart["update"]} */
  function update(drawing, values, tables) {
    shown = [drawing, values, tables];
    const { x: at, limits, ticks: [across, up], axes, marks: marked } = drawing;
    const series = curves.length > 1 ? drawing.series : []; // a single curve is what the heading names
    measure(drawing, series);
    const x = along(limits[0], left, right);
    const scaled = p.logarithmic ? Math.log10 : Number;
    const on = along(/** @type {Scale} */ (limits[1].map(scaled)), bottom, top);
    const y = (/** @type {number} */ v) => on(scaled(v));
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

  /** A line at each row that is pointed out, and its word above: not over the numbers of the scale.
   * @param {[number, string][]} marked */
  function putMarks(marked) {
    const longest = Math.max(0, ...marked.map(([, text]) => text.length));
    const each = 5.8 * longest;
    const places = apart(marked.map(([x]) => Math.max(left + each / 2, x)), each + 2);
    putAll(marks, lineNode, marked.map(([x]) => upright(x)));
    putAll(words, textNode, marked.map(([, text], n) => ({ x: places[n], y: top - 5, text, ...middle })));
  }

  /** Each name where its curve ends; a short line leads from one to the other. @param {string[]} series */
  function putNames(series) {
    const ending = series.flatMap((name, n) => {
      const row = name ? points[n].findLastIndex(isDrawn) : -1;
      const [x, y] = points[n][row] ?? [];
      if (y === undefined) return [];
      return [{ name, x: Math.min(x, right), y: Math.max(top, Math.min(bottom, y)), ...p.styles[n] }];
    });
    const moved = apart(ending.map(({ y }) => y), LINE);
    const over = Math.max(0, ...moved.map((y) => y + LINE / 2 - bottom)); // below are the ticks
    const places = moved.map((y) => y - over);
    putAll(ends, textNode, ending.map(({ name, x }, k) => ({ x: x + 17, y: places[k] + 3, text: short(name) })));
    putAll(stubs, pathNode, ending.map(({ x, y, hue, look, marker }, k) => {
      const lead = linePath([[x + 5, y], [x + 14, places[k]]]); // too short for dashes to be told apart
      return { class: `of-${hue}`, d: look === "dots" ? dotsPath([[x + 10, places[k]]], marker) : lead };
    }));
  }

  return {
    node, update,
    resize(x, y) {
      if (x * EM === wide && y * EM === high) return;
      [wide, high] = [x * EM, y * EM];
      if (shown) update(...shown);
    },
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
