// CurvesView: curves over one axis, or points on a circle, read with a hair line.
//
// What is drawn is in Curves and UnitCircle, curves.py and unit_circle.py. A place is a row, its column 0; what
// is shared is the row.

import { chip, make, put, stepTo } from "../../static/shared/dom.js";
import { number } from "../../static/shared/numbers.js";
import { makeView } from "../../static/shared/view.js";
import { makeCircleChart } from "./circle_chart.js";
import { makeLineChart } from "./line_chart.js";

/** @param {Curves} drawing @param {number} row */
const xText = ({ x, doubling }, row) => number(doubling ? 2 ** x[row] : x[row], 0);

/** @param {View<Curves, Cell>} view @param {AbortSignal} signal @returns {Kind<Curves, Cell>} */
function curvesKind(view, signal) {
  /** What the curves read in a row: a chip each, but for those that have no number there. */
  function readings(/** @type {Curves} */ drawing, /** @type {number} */ row) {
    const { shape, axes, series, styles, palette, title, digits } = drawing;
    const { at, columns: count } = view.tables[drawing.name];
    const chips = [...at.subarray(row * count, (row + 1) * count)].map((x, n) => {
      const [name, hue] = shape === "plane" ? [axes[n], palette] : [series[n], styles[n].hue];
      return chip(name || title, Number.isNaN(x) ? "" : number(x, digits), "", `tl-result of-${hue}`);
    });
    return chips.filter(([, text]) => text);
  }

  /** The last row in which a curve has a number. @param {Curves} drawing */
  function lastRead({ name, x }) {
    const { at, columns: count } = view.tables[name];
    const row = Math.floor(at.findLastIndex((value) => !Number.isNaN(value)) / count);
    return Math.min(Math.max(0, row), x.length - 1);
  }

  /** Show a row of each drawing: the place in view, or the one where its hair line stood. */
  function show(/** @type {Curves} */ drawing, /** @type {number | null} */ row) {
    const { axes, shape, chart, x, title, marks } = drawing;
    drawing.drawn.look(row);
    const said = row ?? 0;
    const words = readings(drawing, said).map(([name, text]) => `${name} ${text}`).join(", ");
    const what = axes[0] && shape !== "plane" ? axes[0] : "row";
    put(chart, {
      "data-row": drawing.row ?? marks[0]?.[0] ?? 0, // where the keys begin
      "aria-label": [title, axes.filter(Boolean).join(" and ")].filter(Boolean).join(": "),
      "aria-valuemax": x.length - 1,
      "aria-valuenow": said,
      "aria-valuetext": `${what} ${xText(drawing, said)}: ${words}`,
    });
  }

  /** The place under the mouse. @param {MouseEvent} event @returns {Cell | null} */
  function under({ target, clientX, clientY }) {
    const chart = /** @type {Element} */ (target).closest(".tl-chart");
    if (!chart) return null;
    const { name: panel, drawn: { node, rowAt } } = view.drawings[chart.getAttribute("data-panel") ?? ""];
    const { left, top, width } = node.getBoundingClientRect();
    const unit = node.viewBox.baseVal.width / width;
    return { panel, row: rowAt((clientX - left) * unit, (clientY - top) * unit), column: 0 };
  }

  /** Go along with the mark of a control's value, from one to the next. @param {Curves} drawing */
  function followMark(drawing) {
    const [[before], [now]] = [drawing.marked ?? [], drawing.marks[0] ?? []];
    drawing.marked = drawing.marks[0];
    if (before === undefined || now === undefined || drawing.row !== before || view.pinned()) return;
    drawing.row = now;
    if (view.focus?.panel === drawing.name) view.focus.row = now;
  }

  /** Let the drawings that share the row in view elsewhere stand there too. */
  function follow() {
    const { shares = "", row = null } = view.also ?? {};
    for (const drawing of Object.values(view.drawings)) {
      const there = shares && drawing.shares === shares && row !== null && row < drawing.x.length;
      if (there) drawing.row = row;
    }
  }
  /** A chart takes the room that it has. */
  const sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect: { width, height } } of entries) {
      const drawing = view.drawings[target.getAttribute("data-panel") ?? ""];
      const letter = parseFloat(getComputedStyle(target).fontSize);
      if (drawing?.chart !== target || !width) continue;
      drawing.drawn.resize(width / letter, height / letter);
    }
    view.explain(); // where the hair line stands
  });
  signal.addEventListener("abort", () => sizes.disconnect());
  view.root.addEventListener("pointermove", (event) => view.hover(under(event)));

  return {
    build(/** @type {Curves} */ frame, { box, foot }) {
      const isPlane = frame.shape === "plane";
      const drawn = isPlane ? makeCircleChart(frame) : makeLineChart(frame);
      const place = { "data-panel": frame.name, "data-column": 0 };
      const size = { style: `--wide: ${frame.wide}em; --high: ${frame.high}em` };
      const look = isPlane ? "tl-chart" : "tl-chart tl-plot";
      const chart = make("div", look, { role: "slider", "aria-valuemin": 0, ...place, ...size }, drawn.node);
      box.classList.toggle("tl-grows", !isPlane);
      foot.before(chart);
      sizes.observe(chart);
      return { chart, drawn, row: null, end: null };
    },
    update(drawing) {
      const { name, x } = drawing;
      followMark(drawing);
      drawing.drawn.update(drawing, view.tables[name].at, view.tables);
      if (drawing.row !== null) drawing.row = Math.min(drawing.row, x.length - 1);
      if (drawing.row !== null && drawing.row === drawing.end && !view.pinned()) {
        if (view.focus?.panel === name && view.focus.row === drawing.end) view.focus.row = lastRead(drawing);
        drawing.row = drawing.end = lastRead(drawing); // it goes along with what grows
      }
      if (view.focus?.panel === name) view.focus.row = Math.min(view.focus.row, x.length - 1);
    },
    first([{ name: panel }]) {
      const drawing = view.drawings[panel];
      const row = drawing.marks[0]?.[0] ?? lastRead(drawing);
      const end = drawing.marks.length ? null : row;
      const { shares } = drawing;
      for (const each of Object.values(view.drawings)) {
        if (each === drawing || (shares && each.shares === shares)) Object.assign(each, { row, end });
      }
      return { panel, row, column: 0 };
    },
    nodeAt: ({ x, chart }, { row }) => (row < x.length ? chart : null),
    explain(drawing, place) {
      follow();
      if (place && !view.pinned()) drawing.row = place.row;
      for (const each of Object.values(view.drawings)) {
        show(each, place && each === drawing ? place.row : each.row);
      }
      const row = place?.row ?? 0;
      const shown = xText(drawing, row);
      const mark = drawing.marks.find(([marked, word]) => marked === row && word && !word.endsWith(` ${shown}`));
      const x = shown + (mark ? ` (${mark[1]})` : "");
      const sentence = drawing.sentence || `${drawing.axes[0] || "x"} {x}`;
      const hint = "Arrow keys: move. Click or Space: pin.";
      return { sentence, names: { x }, chips: readings(drawing, row), hint };
    },
    shared: ({ row }) => ({ row, column: null }),
    heard({ shares }) {
      follow();
      const drawing = view.focus && view.drawings[view.focus.panel];
      if (drawing?.shares !== shares || drawing.row === null) return;
      view.focus = { panel: drawing.name, row: drawing.row, column: 0 };
    },
    step({ panel, row, column }, key) {
      const { length } = view.drawings[panel].x;
      const leap = Math.max(1, Math.round((length - 1) / 10));
      const to = key === "PageUp" ? Math.min(length - 1, row + leap)
        : key === "PageDown" ? Math.max(0, row - leap)
        : stepTo(key, row, length, "ArrowLeft ArrowDown", "ArrowRight ArrowUp");
      return to === null ? null : { panel, row: to, column };
    },
    click(event) {
      const place = under(event);
      if (place) view.togglePin(place);
      return true;
    },
  };
}

/** @param {Context} context */
const render = (context) => makeView(context, (/** @type {View<Curves, Cell>} */ view) => (
  curvesKind(view, context.signal)));

export default { render };
