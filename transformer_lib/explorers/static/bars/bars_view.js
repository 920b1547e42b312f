// BarsView: one or several bars per label around a zero line, to be read and pinned.
//
// What is drawn is in Bars, bars.py. A place is a label (row) and a series (column); what
// is shared is the label alone.

import { make, setText, stepTo } from "../shared/dom.js";
import { number, valueAt } from "../shared/numbers.js";
import { makeView } from "../shared/view.js";

/** @import { Bar, Bars, Cell, Chip, Context, Kind, View } from "../shared/types.js" */

/** The nodes of one label: its name and its bars. @param {Bars} frame @param {number} row @param {boolean} named */
function makeRow({ name, series, hues }, row, named) {
  const line = make("div", "tl-bar-row", "", { role: "row" });
  const head = make("div", "tl-bar-label tl-cut", "", { role: "rowheader" });
  /** @type {Bar[]} */
  const bars = series.map((text, column) => {
    const at = { "data-panel": name, "data-row": String(row), "data-column": String(column) };
    const bar = make("div", `tl-bar of-${hues[column]}`, "", { role: "gridcell", ...at });
    bar.tabIndex = -1;
    const lane = make("span", "tl-lane");
    lane.append(make("i", `tl-fill tl-fill-${column}`), make("b"));
    bar.append(make("span", `tl-bar-name ${named ? "tl-cut" : "tl-unseen"}`, text), lane);
    return bar;
  });
  line.append(head, ...bars);
  return { line, head, bars };
}

/** Which fill is whose, where the bars are too slim to bear names. @param {Bars} frame */
function makeKey({ series, hues }) {
  const key = make("div", "tl-bar-key");
  key.append(...series.map((name, n) => {
    const entry = make("span", `of-${hues[n]}`);
    entry.append(make("i", `tl-fill tl-fill-${n}`), make("bdi", "", name));
    return entry;
  }));
  return key;
}

/** Where on the scale a number lies, in percent; what is beyond lies at its end. @param {Bars} drawing @param {number} x */
function percent({ scale: [low, high] }, x) {
  return 100 * (Math.max(low, Math.min(high, x)) - low) / (high - low);
}

/** @param {Bars} drawing */
function drawScale(drawing) {
  const { scale, ticks, guide, frame, back } = drawing;
  const text = JSON.stringify([scale, ticks, guide]);
  if (drawing.scaled === text) return;
  drawing.scaled = text;
  frame.style.setProperty("--before", scale[0] < 0 ? "4.6em" : "0.6em"); // for a number
  const mark = (/** @type {number} */ x, /** @type {string} */ words, look = "") => {
    const line = make("span", `tl-bar-mark ${look}`);
    line.style.left = `${percent(drawing, x)}%`;
    line.append(make("span", "", words));
    return line;
  };
  const marks = ticks.map(([x, words]) => mark(x, words));
  if (guide.length) marks.push(mark(...guide, "tl-guide"));
  back.replaceChildren(...marks, mark(0, "", "tl-origin"));
}

/** @param {Bar} bar @param {Bars} drawing @param {number} x */
function paint(bar, drawing, x) {
  const [fill, text] = /** @type {Iterable<HTMLElement>} */ (bar.lastElementChild?.children);
  const written = number(x, drawing.digits);
  const zero = percent(drawing, 0);
  const end = Number.isNaN(x) ? zero : percent(drawing, x);
  const state = `${zero} ${end} ${written}`;
  if (bar.state === state) return;
  bar.state = state;
  fill.style.left = `${Math.min(zero, end)}%`;
  fill.style.width = `${Math.abs(end - zero)}%`;
  fill.classList.toggle("tl-nothing", end === zero);
  bar.classList.toggle("tl-left", x < 0);
  bar.classList.toggle("tl-beyond", x > drawing.scale[1] || x < drawing.scale[0]);
  text.style.left = x < 0 ? "" : `${end}%`;
  text.style.right = x < 0 ? `${100 - end}%` : "";
  setText(text, written);
}

/** @param {View<Bars, Cell>} view @returns {Kind<Bars, Cell>} */
const barsKind = (view) => ({
  build(/** @type {Bars} */ frame, { foot }) {
    const { title, measure, series, roomy, room, count } = frame;
    const named = roomy && series.some(Boolean);
    const longest = Math.max(...series.map((name) => name.length));
    const slim = Math.max(0.5, Math.min(0.8, 45 / (count * series.length))); // em a bar
    const around = make("div", `tl-bar-frame ${roomy ? "" : "tl-slim"}`);
    around.style.setProperty("--label", `${0.56 * room + 0.6}em`);
    around.style.setProperty("--name", named ? `${0.53 * Math.min(16, longest) + 1}em` : "0em");
    around.style.setProperty("--bar", `${roomy ? 1.45 : slim}em`);
    const label = [title, measure].filter(Boolean).join(": ");
    const grid = make("div", "tl-bars", "", { role: "grid", "aria-label": label });
    const rows = Array.from({ length: count }, (_, row) => makeRow(frame, row, named));
    grid.append(...rows.map(({ line }) => line));
    const back = make("div", "tl-bar-back", "", { "aria-hidden": "true" }); // the scale
    around.append(back, grid);
    if (measure) foot.before(make("div", "tl-measure", measure));
    if (!roomy && series.some(Boolean)) foot.before(makeKey(frame));
    foot.before(around);
    const [[stop]] = rows.map(({ bars }) => bars);
    stop.tabIndex = 0;
    const every = roomy ? 1 : Math.ceil(1.2 / (slim * series.length)); // labels have room
    return { bars: rows.map(({ bars }) => bars), heads: rows.map(({ head }) => head), frame: around, back, every, stop };
  },
  update(drawing) {
    drawScale(drawing);
    drawing.heads.forEach((head, row) => {
      setText(head, drawing.labels[row] || "·");
      head.title = drawing.labels[row];
      head.classList.toggle("tl-unseen", row % drawing.every > 0);
    });
    const table = view.tables[drawing.name];
    drawing.bars.forEach((bars, row) => bars.forEach((bar, column) => {
      paint(bar, drawing, valueAt(table, row, column));
    }));
  },
  first() {
    const [frame] = view.model.get("panels");
    return frame ? { panel: frame.name, row: 0, column: 0 } : null;
  },
  nodeAt: ({ panel, row, column }) => view.drawings[panel]?.bars[row]?.[column],
  placeOf(node) {
    const bar = /** @type {HTMLElement | null} */ (node.closest(".tl-bar"));
    if (!bar) return null;
    const { panel = "", row, column } = bar.dataset;
    return { panel, row: Number(row), column: Number(column) };
  },
  explain(drawing, place) {
    const { labels, series, hues, digits, sentence } = drawing;
    const { row, column } = /** @type {Cell} */ (place);
    const table = view.tables[drawing.name];
    /** @type {Chip[]} */
    const chips = series.map((name, n) => {
      const x = number(valueAt(table, row, n), Math.max(digits, 4));
      return [name, x, `of-${hues[n]} ${n === column ? "tl-result" : ""}`];
    });
    const names = { label: labels[row], series: series[column] };
    return { sentence, names, chips, hint: "Click or Space: pin this bar. Arrow keys: move." };
  },
  shared: ({ row }) => ({ row, column: null }),
  sharing: ({ shares, row }) => Object.values(view.drawings)
    .filter((drawing) => drawing.shares === shares)
    .flatMap(({ heads }) => (row === null ? [] : heads[row] ?? [])),
  step({ panel, row, column }, key) {
    const { count, series } = view.drawings[panel];
    const back = ["ArrowUp", "ArrowLeft"];
    const n = stepTo(key, row * series.length + column, count * series.length, back, ["ArrowDown", "ArrowRight"]);
    return n === null ? null : { panel, row: Math.floor(n / series.length), column: n % series.length };
  },
});

export default { render: (/** @type {Context} */ context) => makeView(context, barsKind) };
