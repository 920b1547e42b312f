// BarsView: one or several bars per label around a zero line, to be read and pinned.
//
// What is drawn is in Bars, bars.py. A place is a label (row) and a series (column); what
// is shared is the label alone.

import { chip, firstPlace, gridPlace, make, setText, stepTo } from "../shared/dom.js";
import { number, valueAt } from "../shared/numbers.js";
import { makeView } from "../shared/view.js";

/** The nodes of one label: its name and its bars. @param {Bars} frame @param {number} row @param {string} look */
function makeRow({ name, series, hues }, row, look) {
  const line = make("div", "tl-bar-row", "", { role: "row" });
  const head = make("div", "tl-bar-label tl-cut", "", { role: "rowheader" });
  /** @type {Bar[]} */
  const bars = series.map((text, column) => {
    const place = { "data-panel": name, "data-row": row, "data-column": column };
    const bar = make("div", `tl-bar of-${hues[column]}`, "", { role: "gridcell", tabindex: -1, ...place });
    const lane = make("span", "tl-lane");
    lane.append(make("i", `tl-fill tl-fill-${column}`), make("b"));
    bar.append(make("span", `tl-bar-name ${look}`, text), lane);
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

/** Where on the scale a number lies, in percent; what is beyond lies at its end. */
function percent(/** @type {Bars} */ { scale: [low, high] }, /** @type {number} */ x) {
  return 100 * (Math.max(low, Math.min(high, x)) - low) / (high - low);
}

/** The scale: lines behind the bars, and numbers below. @param {Bars} drawing */
function drawScale(drawing) {
  const { scale, ticks, guide, frame, back } = drawing;
  const text = JSON.stringify([scale, ticks, guide]);
  if (drawing.scaled === text) return;
  drawing.scaled = text;
  frame.style.setProperty("--before", scale[0] < 0 ? "4.6em" : "0.6em"); // for a number
  const mark = (/** @type {number} */ x, /** @type {string} */ words, look = "") => {
    const line = make("span", `tl-bar-mark ${look}`, "", { style: `left: ${percent(drawing, x)}%` });
    line.append(make("span", "", words));
    return line;
  };
  const guides = guide.length ? [mark(...guide, "tl-guide")] : [];
  back.replaceChildren(...ticks.map(([x, words]) => mark(x, words)), ...guides, mark(0, "", "tl-origin"));
}

function paint(/** @type {Bar} */ bar, /** @type {Bars} */ drawing, /** @type {number} */ x) {
  const [fill, text] = /** @type {NodeListOf<HTMLElement>} */ (bar.querySelectorAll(".tl-fill, b"));
  const written = number(x, drawing.digits);
  const zero = percent(drawing, 0);
  const end = Number.isNaN(x) ? zero : percent(drawing, x);
  const state = `${zero} ${end} ${written}`;
  if (bar.state === state) return;
  bar.state = state;
  Object.assign(fill.style, { left: `${Math.min(zero, end)}%`, width: `${Math.abs(end - zero)}%` });
  Object.assign(text.style, x < 0 ? { left: "", right: `${100 - end}%` } : { left: `${end}%`, right: "" });
  setText(text, written);
  fill.classList.toggle("tl-nothing", end === zero);
  bar.classList.toggle("tl-left", x < 0);
  bar.classList.toggle("tl-beyond", x > drawing.scale[1] || x < drawing.scale[0]);
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
    around.style.setProperty("--bar", `${!roomy ? slim : named ? 1.2 : 1.45}em`);
    around.style.setProperty("--lane", named ? "16em" : "21em"); // two such drawings fit side by side
    const label = [title, measure].filter(Boolean).join(": ");
    const grid = make("div", "tl-bars", "", { role: "grid", "aria-label": label });
    const rows = Array.from({ length: count }, (_, row) => makeRow(frame, row, named ? "tl-cut" : "tl-unseen"));
    const back = make("div", "tl-bar-back", "", { "aria-hidden": true });
    grid.append(...rows.map(({ line }) => line));
    around.append(back, grid);
    if (measure) foot.before(make("div", "tl-measure", measure));
    if (!roomy && series.some(Boolean)) foot.before(makeKey(frame));
    foot.before(around);
    const [bars, heads] = [rows.map((row) => row.bars), rows.map(({ head }) => head)];
    const every = roomy ? 1 : Math.ceil(1.2 / (slim * series.length)); // labels have room
    return { bars, heads, frame: around, back, every, stop: bars[0][0] };
  },
  update(drawing) {
    const table = view.tables[drawing.name];
    drawScale(drawing);
    drawing.heads.forEach((head, row) => {
      setText(head, drawing.labels[row] || "·");
      head.title = drawing.labels[row];
      head.classList.toggle("tl-unseen", row % drawing.every > 0);
    });
    drawing.bars.forEach((bars, row) => bars.forEach((bar, column) => {
      paint(bar, drawing, valueAt(table, row, column));
    }));
  },
  first: () => firstPlace(view.model.get("panels")[0]),
  nodeAt: ({ panel, row, column }) => view.drawings[panel]?.bars[row]?.[column],
  placeOf: gridPlace,
  explain({ name, labels, series, hues, digits, sentence }, place) {
    const { row, column } = /** @type {Cell} */ (place);
    const chips = series.map((text, n) => {
      const x = valueAt(view.tables[name], row, n);
      const look = `of-${hues[n]} ${n === column ? "tl-result" : ""}`;
      return chip(text, number(x, digits && Math.max(digits, 4)), look);
    });
    const names = { label: labels[row], series: series[column] };
    return { sentence, names, chips, hint: "Click or Space: pin this bar. Arrow keys: move." };
  },
  shared: ({ row }) => ({ row, column: null }),
  sharing: ({ heads }, { row }) => heads[row ?? -1] ?? [],
  step({ panel, row, column }, key) {
    const { count, series: { length } } = view.drawings[panel];
    const n = stepTo(key, row * length + column, count * length, "ArrowUp ArrowLeft", "ArrowDown ArrowRight");
    return n === null ? null : { panel, row: Math.floor(n / length), column: n % length };
  },
});

export default { render: (/** @type {Context} */ context) => makeView(context, barsKind) };
