// Curves over one axis: the drawing, without what the reader does with it.

/** @param p the frame of Curves @returns node, update(p, at), look(row), rowAt(x, y) */
function makeLines(p) {
  const [wide, high] = [p.wide * EM, p.high * EM];
  const [left, right] = [46, wide - 12 - 5.6 * p.room];
  const [top, bottom] = [17, high - 34];
  const node = svg("svg", { viewBox: `0 0 ${wide} ${high}`, "aria-hidden": "true" });
  node.style.width = `${p.wide}em`;
  const [grid, xs, ys, marks, words, stubs, names] = Array.from({ length: 7 }, () => svg("g"));
  const group = (className, child) => { child.setAttribute("class", className); return child; };
  const axis = [
    svg("text", { x: (left + right) / 2, y: high - 6, "text-anchor": "middle" }),
    svg("text", { transform: `translate(9 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }),
  ];
  const lines = p.styles.map(({ hue, look, dashes, marker }) => {
    const one = svg("g", { class: `tl-curve of-${hue} tl-as-${look}` });
    const line = svg("path", { "stroke-dasharray": dashes || "none" });
    const dots = svg("path", { class: /[ox+*]/.test(marker) && marker !== "o" ? "tl-cross" : "tl-dots" });
    one.append(line, dots);
    return { one, line, dots, marker, look };
  });
  const hair = svg("line", { y1: top, y2: bottom, class: "tl-hair" });
  const beads = p.styles.map(({ hue }) => svg("circle", { r: 4.2, class: `tl-bead of-${hue}` }));
  const frame = svg("clipPath", { id: `tl-${Math.random().toString(36).slice(2)}` });
  frame.append(svg("rect", { x: left - 5, y: top - 5, width: right - left + 10, height: bottom - top + 10 }));
  const inside = svg("g", { "clip-path": `url(#${frame.id})` });
  inside.append(...lines.map((l) => l.one));
  node.append(
    frame, group("tl-rules", grid), group("tl-ticks", xs), group("tl-ticks", ys), group("tl-ticks", axis[0]),
    group("tl-ticks", axis[1]), group("tl-marks", marks), inside, group("tl-stubs", stubs),
    group("tl-names", names), group("tl-names", words), hair, ...beads,
  );

  const short = (text) => (text.length > p.room ? `${text.slice(0, p.room - 1)}…` : text);
  let points = [];
  function update(now, at) {
    const x = along(now.limits[0], left, right);
    const y = along(now.limits[1], bottom, top);
    const count = p.styles.length;
    points = lines.map((_, n) => now.x.map((v, row) => [x(v), y(at[row * count + n])]));
    const [across, up] = now.ticks;
    putTexts(grid, "line", [
      ...across.map(([v]) => [{ x1: x(v), x2: x(v), y1: top, y2: bottom }]),
      ...up.map(([v]) => [{ x1: left, x2: right, y1: y(v), y2: y(v), class: v === 0 ? "tl-zero-line" : "" }]),
    ]);
    putTexts(xs, "text", across.map(([v, t]) => [{ x: x(v), y: bottom + 13, "text-anchor": "middle" }, t]));
    putTexts(ys, "text", up.map(([v, t]) => [{ x: left - 5, y: y(v) + 3, "text-anchor": "end" }, t]));
    now.axes.forEach((text, n) => setText(axis[n], text));
    lines.forEach(({ line, dots, marker, look }, n) => {
      put(line, { d: look === "dots" ? "" : linePath(points[n]) });
      put(dots, { d: look === "line" ? "" : dotsPath(points[n], marker) });
    });
    putTexts(marks, "line", now.marks.map(([row]) => [{ x1: x(now.x[row]), x2: x(now.x[row]), y1: top, y2: bottom }]));
    const said = now.marks.map(([, word]) => short(word));
    const places = apart(now.marks.map(([row]) => x(now.x[row])), 5.4 * Math.max(0, ...said.map((word) => word.length)) + 4);
    putTexts(words, "text", said.map((word, n) => [{ x: places[n], y: top - 5, "text-anchor": "middle" }, word]));
    putNames(now.series);
  }

  /** Each name where its curve ends; a short line leads from one to the other. */
  function putNames(series) {
    const there = points.map((one) => one.findLast(([x, y]) => Number.isFinite(x + y)));
    const heights = there.map((end) => Math.max(top, Math.min(bottom, end ? end[1] : bottom)));
    const shown = series.map((_, n) => n).filter((n) => there[n] && series[n]);
    const places = apart(shown.map((n) => heights[n]), 12);
    putTexts(names, "text", shown.map((n, k) => [{ x: right + 17, y: places[k] + 3 }, short(series[n])]));
    putTexts(stubs, "path", shown.map((n, k) => {
      const { hue, look, dashes, marker } = p.styles[n];
      const lead = linePath([[there[n][0] + 5, heights[n]], [right + 14, places[k]]]);
      const dots = look === "dots";
      return [{
        class: `of-${hue}`, "stroke-dasharray": (!dots && dashes) || "none",
        d: dots ? dotsPath([[right + 10, places[k]]], marker) : lead,
      }];
    }));
  }

  return {
    node, update,
    /** Put the hair line on a row. */
    look(row) {
      const x = points[0]?.[row]?.[0];
      put(hair, { x1: x ?? 0, x2: x ?? 0, visibility: x === undefined ? "hidden" : "visible" });
      beads.forEach((bead, n) => {
        const y = points[n]?.[row]?.[1];
        const seen = y >= top - 1 && y <= bottom + 1;
        put(bead, { cx: x ?? 0, cy: seen ? y : 0, visibility: seen ? "visible" : "hidden" });
      });
    },
    /** The row that lies nearest to a point of the drawing, across. */
    rowAt: (x) => nearest(points[0], ([px]) => Math.abs(px - x)),
  };
}

/** Which of the points is nearest. */
function nearest(points, far) {
  let best = 0;
  points.forEach((point, n) => { if (far(point) < far(points[best])) best = n; });
  return best;
}
