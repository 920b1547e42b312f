// Curves over one axis: the drawing, without what the reader does with it.

import { setText } from "../shared/dom.js";
import { EM, along, apart, dotsPath, isDrawn, linePath, nearest, put, putAll, svg } from "../shared/svg.js";

/** @import { Chart, Curves, Point } from "../shared/types.js" */

/** @param {Curves} p its frame @returns {Chart} */
export function makeLineChart(p) {
  const [wide, high] = [p.wide * EM, p.high * EM];
  const [left, right] = [46, wide - 12 - 5.6 * p.room];
  const [top, bottom] = [17, high - 34];
  const node = svg("svg", { viewBox: `0 0 ${wide} ${high}`, "aria-hidden": "true" });
  node.style.width = `${p.wide}em`;
  const group = (/** @type {string} */ name, /** @type {Element[]} */ ...inside) => {
    const one = svg("g", { class: name });
    one.append(...inside);
    return one;
  };
  const [grid, xs, ys, marks] = ["tl-rules", "tl-ticks", "tl-ticks", "tl-marks"].map((name) => group(name));
  const [stubs, names, words] = ["tl-stubs", "tl-names", "tl-names"].map((name) => group(name));
  const axis = [
    svg("text", { x: (left + right) / 2, y: high - 6, "text-anchor": "middle" }),
    svg("text", { transform: `translate(9 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }),
  ];
  const lines = p.styles.map(({ hue, look, dashes, marker }) => {
    const line = svg("path", { "stroke-dasharray": dashes || "none" });
    const dots = svg("path", { class: /[ox+*]/.test(marker) && marker !== "o" ? "tl-cross" : "tl-dots" });
    return { one: group(`tl-curve of-${hue} tl-as-${look}`, line, dots), line, dots, marker, look };
  });
  const hair = svg("line", { y1: top, y2: bottom, class: "tl-hair" });
  const beads = p.styles.map(({ hue }) => svg("circle", { r: 4.2, class: `tl-bead of-${hue}` }));
  const frame = svg("clipPath", { id: `tl-${Math.random().toString(36).slice(2)}` });
  frame.append(svg("rect", { x: left - 5, y: top - 5, width: right - left + 10, height: bottom - top + 10 }));
  const inside = group("", ...lines.map(({ one }) => one));
  inside.setAttribute("clip-path", `url(#${frame.id})`);
  const ticks = [xs, ys, group("tl-ticks", ...axis)];
  node.append(frame, grid, ...ticks, marks, inside, stubs, names, words, hair, ...beads);

  const upright = (/** @type {number} */ x) => ({ x1: x, x2: x, y1: top, y2: bottom });
  const short = (/** @type {string} */ text) => (text.length > p.room ? `${text.slice(0, p.room - 1)}…` : text);
  /** @type {Point[][]} of each curve */
  let points = [];

  /** @type {Chart["update"]} */
  function update(now, at) {
    const x = along(now.limits[0], left, right);
    const y = along(now.limits[1], bottom, top);
    const count = p.styles.length;
    points = lines.map((_, n) => now.x.map((v, row) => [x(v), y(at[row * count + n])]));
    const [across, up] = now.ticks;
    putAll(grid, "line", [
      ...across.map(([v]) => upright(x(v))),
      ...up.map(([v]) => ({ x1: left, x2: right, y1: y(v), y2: y(v), class: v === 0 ? "tl-zero-line" : "" })),
    ]);
    putAll(xs, "text", across.map(([v, text]) => ({ x: x(v), y: bottom + 13, "text-anchor": "middle", text })));
    putAll(ys, "text", up.map(([v, text]) => ({ x: left - 5, y: y(v) + 3, "text-anchor": "end", text })));
    now.axes.forEach((text, n) => setText(axis[n], text));
    lines.forEach(({ line, dots, marker, look }, n) => {
      put(line, { d: look === "dots" ? "" : linePath(points[n]) });
      put(dots, { d: look === "line" ? "" : dotsPath(points[n], marker) });
    });
    const marked = now.marks.map(([row, word]) => ({ at: x(now.x[row]), text: short(word) }));
    const longest = Math.max(0, ...marked.map(({ text }) => text.length));
    const places = apart(marked.map((mark) => mark.at), 5.4 * longest + 4);
    putAll(marks, "line", marked.map((mark) => upright(mark.at)));
    putAll(words, "text", marked.map(({ text }, n) => ({ x: places[n], y: top - 5, "text-anchor": "middle", text })));
    putNames(now.series);
  }

  /** Each name where its curve ends; a short line leads from one to the other. */
  function putNames(/** @type {string[]} */ series) {
    const ends = series.flatMap((name, n) => {
      const end = name && points[n].findLast(isDrawn);
      return end ? [{ name, x: end[0], y: Math.max(top, Math.min(bottom, end[1])), ...p.styles[n] }] : [];
    });
    const places = apart(ends.map(({ y }) => y), 12);
    putAll(names, "text", ends.map(({ name }, k) => ({ x: right + 17, y: places[k] + 3, text: short(name) })));
    putAll(stubs, "path", ends.map(({ x, y, hue, look, dashes, marker }, k) => {
      const dots = look === "dots";
      const lead = linePath([[x + 5, y], [right + 14, places[k]]]);
      const d = dots ? dotsPath([[right + 10, places[k]]], marker) : lead;
      return { class: `of-${hue}`, "stroke-dasharray": (!dots && dashes) || "none", d };
    }));
  }

  return {
    node, update,
    /** Put the hair line on a row. */
    look(row) {
      const at = row ?? -1;
      const x = points[0]?.[at]?.[0];
      put(hair, { x1: x ?? 0, x2: x ?? 0, visibility: x === undefined ? "hidden" : "visible" });
      beads.forEach((bead, n) => {
        const y = points[n]?.[at]?.[1];
        const seen = y >= top - 1 && y <= bottom + 1;
        put(bead, { cx: x ?? 0, cy: seen ? y : 0, visibility: seen ? "visible" : "hidden" });
      });
    },
    /** The row that lies nearest to a point of the drawing, across. */
    rowAt: (x) => nearest(points[0], ([px]) => Math.abs(px - x)),
  };
}
