// Points on the unit circle, arrows to some, and an arc: the drawing of Plane.

/** @param p the frame of Plane @returns node, update(p, at, arrays), look(row), rowAt(x, y) */
function makePlane(p) {
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

  /** The head of an arrow that ends at a point and comes from another. */
  function headPath([ax, ay], [bx, by], size) {
    const turn = Math.atan2(by - ay, bx - ax);
    const corner = (angle) => [bx - size * Math.cos(turn + angle), by - size * Math.sin(turn + angle)];
    return `${linePath([corner(0.42), [bx, by], corner(-0.42)])}z`;
  }

  let points = [];
  function update(now, at, arrays) {
    const pairs = (all) => Array.from({ length: all.length / 2 }, (_, n) => [x(all[2 * n]), y(all[2 * n + 1])]);
    points = pairs(at);
    put(dots, { d: points.map(([px, py]) => `M${place(px)} ${place(py)}h0`).join("") });
    const turn = pairs(arrays[`${p.name}.arc`].at);
    put(arc, { d: linePath(turn) });
    put(head, { d: turn.length > 1 ? headPath(turn.at(-2), turn.at(-1), 7) : "" });
    const ends = pairs(arrays[`${p.name}.arrows`].at);
    arrows.forEach((one, n) => {
      const [middle, end] = [[x(0), y(0)], ends[n]];
      const [line, tip, name] = one.children;
      put(line, { d: linePath([middle, end]) });
      put(tip, { d: headPath(middle, end, 9) });
      const [dx, dy] = [(end[0] - middle[0]) / (x(1) - x(0)), (end[1] - middle[1]) / (x(1) - x(0))];
      put(name, {
        x: place(end[0] + 9 * dx), y: place(end[1] + 12 * dy + 3),
        "text-anchor": dx > 0.3 ? "start" : dx < -0.3 ? "end" : "middle",
      });
      setText(name, now.arrows[n]);
    });
    now.axes.forEach((text, n) => setText(axis[n], text));
  }

  return {
    node, update,
    look(row) {
      const [cx, cy] = points[row] ?? [0, 0];
      put(ring, { cx, cy, visibility: points[row] ? "visible" : "hidden" });
    },
    rowAt: (px, py) => nearest(points, ([ax, ay]) => (ax - px) ** 2 + (ay - py) ** 2),
  };
}
