// CurvesView: curves over one axis, or points on a circle, read with a hair line.
//
// What is drawn is in Curves and Plane, curves.py. A place is a row, its column 0; what
// is shared is the row.

import { chip, make, stepTo } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { makeView } from "../shared/view.js";
import { makeCircleChart } from "./circle_chart.js";
import { makeLineChart } from "./line_chart.js";

/** @param {View<Curves, Cell>} view @returns {Kind<Curves, Cell>} */
function curvesKind(view) {
  const drawingOf = (/** @type {EventTarget | null} */ node) => {
    const chart = node instanceof Element && /** @type {HTMLElement | null} */ (node.closest(".tl-chart"));
    return chart ? view.drawings[chart.dataset.panel ?? ""] : undefined;
  };

  /** What the curves read in a row: a chip each, but for those that have no number there. */
  function readings(/** @type {Curves} */ drawing, /** @type {number} */ row) {
    const { shape, axes, series, styles, palette, title, digits } = drawing;
    const { at, columns: count } = view.tables[drawing.name];
    const all = Array.from({ length: count }, (_, n) => n);
    return all.filter((n) => !Number.isNaN(at[row * count + n])).map((n) => {
      const hue = shape === "plane" ? palette : styles[n].hue;
      const name = (shape === "plane" ? axes : series)[n] || title;
      return chip(name, number(at[row * count + n], digits), `tl-result of-${hue}`);
    });
  }

  /** @param {Curves} drawing @param {number} row */
  const xText = ({ x, x_digits: digits = 0, doubling }, row) => number(doubling ? 2 ** x[row] : x[row], digits);

  /** Show a row of each drawing: the place in view, or the one where its hair line stood. */
  function show(/** @type {Curves} */ drawing, /** @type {number | null} */ row) {
    const { axes, shape, chart } = drawing;
    drawing.drawn.look(row);
    const said = row ?? 0;
    const words = readings(drawing, said).map(([name, text]) => `${name} ${text}`).join(", ");
    const what = axes[0] && shape !== "plane" ? axes[0] : "row";
    chart.setAttribute("aria-valuenow", String(said));
    chart.setAttribute("aria-valuetext", `${what} ${xText(drawing, said)}: ${words}`);
  }

  /** The place under the mouse. @param {MouseEvent} event @returns {Cell | null} */
  function under({ target, clientX, clientY }) {
    const drawing = drawingOf(target);
    if (!drawing) return null;
    const { node } = drawing.drawn;
    const { left, top, width } = node.getBoundingClientRect();
    const unit = node.viewBox.baseVal.width / width;
    const row = drawing.drawn.rowAt((clientX - left) * unit, (clientY - top) * unit);
    return { panel: drawing.name, row, column: 0 };
  }
  view.root.addEventListener("pointermove", (event) => view.look(under(event)));

  return {
    build(/** @type {Curves} */ frame, { foot }) {
      const chart = make("div", "tl-chart", "", { role: "slider", "aria-valuemin": "0", "data-panel": frame.name });
      chart.tabIndex = 0;
      const drawn = frame.shape === "plane" ? makeCircleChart(frame) : makeLineChart(frame);
      chart.append(drawn.node);
      foot.before(chart);
      return { chart, drawn, row: null };
    },
    update(drawing) {
      const { name, x, title, axes, chart } = drawing;
      const last = x.length - 1;
      drawing.drawn.update(drawing, view.tables[name].at, view.tables);
      chart.setAttribute("aria-valuemax", String(last));
      chart.setAttribute("aria-label", [title, axes.filter(Boolean).join(" and ")].filter(Boolean).join(": "));
      if (drawing.row !== null) drawing.row = Math.min(drawing.row, last);
      if (view.focus?.panel === name) view.focus.row = Math.min(view.focus.row, last);
    },
    first() {
      const drawing = view.drawings[view.model.get("panels")[0]?.name];
      if (!drawing) return null;
      drawing.row = drawing.marks[0]?.[0] ?? drawing.x.length - 1;
      return { panel: drawing.name, row: drawing.row, column: 0 };
    },
    nodeAt({ panel, row }) {
      const drawing = view.drawings[panel];
      return drawing && row < drawing.x.length ? drawing.chart : undefined;
    },
    placeOf(node) {
      const drawing = drawingOf(node);
      return drawing ? { panel: drawing.name, row: drawing.row ?? drawing.marks[0]?.[0] ?? 0, column: 0 } : null;
    },
    explain(drawing, place) {
      if (place && !view.pin()) drawing.row = place.row;
      for (const each of Object.values(view.drawings)) {
        show(each, place && each === drawing ? place.row : each.row);
      }
      const row = place?.row ?? 0;
      const mark = drawing.marks.find(([marked, word]) => marked === row && word);
      const x = xText(drawing, row) + (mark ? ` (${mark[1]})` : "");
      const sentence = drawing.sentence || `${drawing.axes[0] || "x"} {x}`;
      const hint = "Move the mouse, or the arrow keys. Click or Space: pin the line.";
      return { sentence, names: { x }, chips: readings(drawing, row), hint };
    },
    shared: ({ row }) => ({ row, column: null }),
    sharing(drawing, { row }) {
      if (row !== null && row < drawing.x.length) drawing.row = row;
      return [];
    },
    heard({ shares }) {
      const drawing = view.focus && view.drawings[view.focus.panel];
      if (drawing?.shares !== shares || drawing.row === null) return;
      view.focus = { panel: drawing.name, row: drawing.row, column: 0 };
    },
    step({ panel, row }, key) {
      const last = view.drawings[panel].x.length - 1;
      const leap = Math.max(1, Math.round(last / 10));
      const far = key === "PageDown" ? row - leap : key === "PageUp" ? row + leap : null;
      const to = far === null ? stepTo(key, row, last + 1, "ArrowLeft ArrowDown", "ArrowRight ArrowUp")
        : Math.max(0, Math.min(last, far));
      return to === null ? null : { panel, row: to, column: 0 };
    },
    click(event) {
      const place = under(event);
      if (place) view.turn(place);
      return true;
    },
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, curvesKind) };
