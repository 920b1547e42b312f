// BarsView: one or several bars per label around a zero line, to be read and pinned.
//
// What is drawn is in Bars, bars.py. A place is a label (row) and a series (column); what
// is shared is the label alone.

import { chip, make, put, putAll, setText, stepTo } from "../../static/shared/dom.js";
import { bestIn, fuller, number, valueAt } from "../../static/shared/numbers.js";
import { makeView } from "../../static/shared/view.js";

/** The nodes of one label: its name and its bars. @param {Bars} frame */
function makeRow({ name, series, hues, fills, rest, count, dots }, /** @type {number} */ row) {
  const head = make("div", "tl-bar-label tl-cut", { role: "rowheader", "data-of": name, "data-at": row });
  const bars = series.map((text, column) => {
    const place = { tabindex: -1, "data-panel": name, "data-row": row, "data-column": column };
    const look = dots ? `tl-dot-${dotOf(column, series.length)}` : `tl-fill-${fills[column]}`;
    const [fill, end] = [make("i", `tl-fill ${look}`), make("b")];
    const ghost = make("span", "tl-ghost");
    const lane = make("span", "tl-lane", fill, ghost, end);
    const label = make("span", "tl-unseen", text);
    const bar = make("div", `tl-bar of-${hues[column]}`, { role: "gridcell", ...place }, label, lane);
    return { ghost, fill, end, bar };
  });
  const join = make("i", "tl-join");
  if (dots) bars[0].fill.before(join);
  const look = rest && row === count - 1 ? "tl-bar-row tl-rest" : "tl-bar-row";
  const line = make("div", look, { role: "row" }, head, ...bars.map(({ bar }) => bar));
  return { head, bars, join, line };
}

/** Which dot a series has: from a ring to a full one. @param {number} n */
const dotOf = (n, /** @type {number} */ count) => (n === count - 1 ? "full" : n ? "half" : "ring");

/** The legend: which fill is whose. @param {Bars} frame */
const makeKey = ({ series, hues, fills, dots }) => make("div", "tl-bar-key", ...series.map((name, n) => {
  const look = dots ? `tl-dot-${dotOf(n, series.length)}` : `tl-fill-${fills[n]}`;
  return make("span", `of-${hues[n]}`, make("i", `tl-fill ${look}`), make("bdi", "", name));
}));

/** Where on the scale a number lies, in percent; what is beyond lies at its end. */
function percent(/** @type {Bars} */ { scale: [low, high] }, /** @type {number} */ x) {
  return 100 * (Math.max(low, Math.min(high, x)) - low) / (high - low);
}

/** The scale: lines behind the bars, and numbers below. @param {Bars} drawing @param {Float64Array} numbers */
function drawScale(drawing, numbers) {
  const { scale, ticks, guide, ghosts, dots, frame, back, digits } = drawing;
  const ends = [...scale, ...numbers.filter((x) => x > scale[1])]; // beside which a number stands
  const longest = Math.max(...ends.map((end) => number(end, digits).length)) + 1; // and an arrow, or a sign
  const beside = Math.max(longest, 5) + (ghosts.length && longest + 3);
  const room = `${0.6 * beside + 0.7}em`;
  frame.style.setProperty("--after", room); // for a number
  frame.style.setProperty("--before", dots || scale[0] < 0 ? room : "0em");
  const mark = (/** @type {number} */ x, /** @type {string} */ words, look = "") => (
    { class: `tl-bar-mark tl-quiet ${look}`, style: `left: ${percent(drawing, x)}%`, "data-words": words });
  const marks = [...ticks.map((tick) => mark(...tick)), mark(0, "", "tl-origin")];
  putAll(back, () => make("span"), guide.length ? [mark(...guide, "tl-guide"), ...marks] : marks);
}

/** What asks Python to choose a label, if a click may; gives whether it does. @param {View<Bars, Cell>} view */
const chooserIn = (view) => (/** @type {Cell} */ place) => {
  const asked = Boolean(view.drawings[place.panel].clickable[place.row]);
  if (asked) view.kernel.send({ type: "choose", ...place });
  return asked;
};

/** Whether a bar says no number. @param {Tables} tables @param {string} name @param {Point} place */
function isVeiled(tables, name, place) {
  const hidden = tables[`${name}.hidden`];
  return Boolean(hidden && valueAt(hidden, ...place));
}

/** What is written at a bar, behind what it is compared with. @param {number} x @param {number} before */
function saidOf(x, before, /** @type {number} */ digits) {
  const [old, text] = [before, x].map((one) => number(one, digits));
  return text === old ? text : `${old} → ${text}`;
}

/** @param {Bar} bar @param {Bars} drawing @param {number} x @param {number} before @param {boolean} veiled */
function paint({ bar, ghost, fill, end }, drawing, x, before, veiled) {
  const zero = percent(drawing, 0);
  const to = Number.isNaN(x) ? zero : percent(drawing, x);
  Object.assign(fill.style, { left: `${Math.min(zero, to)}%`, width: `${Math.abs(to - zero)}%` });
  const isSame = Object.is(before, x);
  const past = isSame ? to : percent(drawing, before);
  if (!isSame) Object.assign(ghost.style, { left: `${zero}%`, width: `${past - zero}%` });
  ghost.hidden = isSame;
  const beside = x < 0 ? { left: "auto", right: `${100 - to}%` } : { left: `${Math.max(to, past)}%`, right: "auto" };
  Object.assign(end.style, beside); // past the end of its bar, on whichever side that lies
  const text = veiled ? drawing.masked_text : saidOf(x, before, drawing.digits);
  setText(end, text);
  end.classList.toggle("tl-zero", Number(text) === 0);
  end.classList.toggle("tl-blank", drawing.blank_zeros && Number(text) === 0);
  bar.classList.toggle("tl-instead", veiled);
  bar.classList.toggle("tl-left", x < 0);
  bar.classList.toggle("tl-beyond", x > drawing.scale[1] || x < drawing.scale[0]);
}

/** Join the dots of a label; its least and its greatest number are seen. @param {Bars["rows"][number]} parts */
function joinDots({ bars, join }, /** @type {Bars} */ drawing, /** @type {number[]} */ numbers) {
  const there = numbers.filter((x) => !Number.isNaN(x));
  const [least, most] = [Math.min(...there), Math.max(...there)];
  const [low, high] = [numbers.indexOf(least), numbers.lastIndexOf(most)];
  const [from, to] = there.length ? [percent(drawing, least), percent(drawing, most)] : [0, 0];
  Object.assign(join.style, { left: `${from}%`, width: `${to - from}%` });
  const isOne = bars[low]?.end.textContent === bars[high]?.end.textContent;
  bars.forEach(({ bar, fill, end }, n) => {
    const at = `${percent(drawing, numbers[n])}%`;
    Object.assign(fill.style, { left: at, width: "" });
    end.style.left = at;
    bar.classList.toggle("tl-absent", Number.isNaN(numbers[n]));
    bar.classList.toggle("tl-least", n === low && !isOne);
    bar.classList.toggle("tl-between", n !== high && (n !== low || isOne));
  });
}

/** @param {View<Bars, Cell>} view @returns {Kind<Bars, Cell>} */
const barsKind = (view, choose = chooserIn(view)) => ({
  build(/** @type {Bars} */ frame, { box, foot }) {
    const { title, measure, series, roomy, room, wide, count, dots } = frame;
    const several = series.length > 1;
    const each = dots ? 1 : series.length; // bars of a label, one below the other
    const slim = Math.max(0.5, Math.min(0.8, 45 / (count * each))); // em a bar
    const sizes = {
      label: 0.56 * room + 0.9, // also in bold
      bar: !roomy ? slim : dots ? 1.7 : several ? 1.2 : 1.45,
      lane: wide,
    };
    const rows = Array.from({ length: count }, (_, row) => makeRow(frame, row));
    const grid = make("div", "tl-bars", { role: "grid" }, ...rows.map(({ line }) => line));
    grid.ariaLabel = [title, measure].filter(Boolean).join(": ");
    const back = make("div", "tl-bar-back", { "aria-hidden": true });
    const look = `tl-bar-frame ${!roomy ? "tl-slim" : several ? "tl-several" : ""} ${dots ? "tl-dots" : ""}`;
    const around = make("div", look, back, grid);
    for (const [name, em] of Object.entries(sizes)) around.style.setProperty(`--${name}`, `${em}em`);
    if (measure) foot.before(make("div", "tl-measure tl-quiet", measure));
    if (several) foot.before(makeKey(frame));
    foot.before(around);
    box.classList.add("tl-grows");
    const every = roomy ? 1 : Math.ceil(1.2 / (slim * each)); // labels have room
    return { rows, frame: around, back, every };
  },
  update(drawing) {
    const { name, rows, labels, series, every, clickable, faint, ghosts, dots } = drawing;
    drawScale(drawing, view.tables[name].at);
    rows.forEach((parts, row) => {
      const { head, bars, line } = parts;
      line.classList.toggle("tl-marked", labels[row].endsWith("✓"));
      line.classList.toggle("tl-faint", Boolean(faint[row]));
      put(head, { title: labels[row], text: labels[row] || "·" });
      head.classList.toggle("tl-unseen", row % every > 0);
      head.classList.toggle("tl-asked", Boolean(clickable[row]));
      bars.forEach((bar, column) => {
        const veiled = isVeiled(view.tables, name, [row, column]);
        const x = valueAt(view.tables[name], row, column);
        paint(bar, drawing, x, ghosts[row] ?? x, veiled);
      });
      if (dots) joinDots(parts, drawing, series.map((_, column) => valueAt(view.tables[name], row, column)));
    });
  },
  /** The bar to open with, or else the longest to the right: not what others are compared with, nor a pale one. */
  first([frame]) {
    const { name: panel, count, series, hues, rest } = /** @type {Bars} */ (frame);
    const { faint, opens } = view.drawings[panel];
    if (opens.length) return { panel, row: opens[0], column: opens[1] };
    const pale = faint.every(Boolean) ? [] : faint;
    const isLeft = (/** @type {Point} */ [row, n]) => (
      hues[n] === "reference" || pale[row] || isVeiled(view.tables, panel, [row, n]));
    const worth = /** @type {Worth} */ (x, ...place) => (isLeft(place) ? -Infinity : x);
    return { panel, ...bestIn(view.tables[panel], [count - Number(rest), series.length], worth) };
  },
  explain({ name, labels, series, hues, digits, sentence, masked_text, clickable, dots }, place) {
    const { row, column } = /** @type {Cell} */ (place);
    const say = (/** @type {number} */ x) => (digits ? fuller : number)(x, digits);
    const numbers = series.map((_, n) => valueAt(view.tables[name], row, n));
    const isHidden = (/** @type {number} */ n) => isVeiled(view.tables, name, [row, n]);
    const lookOf = (/** @type {number} */ n) => `of-${hues[n]} ${n === column ? "tl-result" : ""}`;
    const chips = series.map((text, n) => chip(text, isHidden(n) ? masked_text : say(numbers[n]), "", lookOf(n)));
    // Two numbers that are compared: how far the one is from the other.
    const from = dots ? 0 : hues.indexOf("reference");
    if (series.length === 2 && from >= 0 && !isHidden(0) && !isHidden(1)) {
      const change = numbers[1 - from] - numbers[from];
      // With as many decimals as make the sum right as it is written.
      const isRight = (/** @type {number} */ n) => {
        const [a, b, c] = [numbers[from], change, numbers[1 - from]].map((x) => Number(x.toFixed(n)));
        return Math.abs(a + b - c) < 10 ** -(n + 1);
      };
      const decimals = [digits, digits + 1, digits + 2].find(isRight) ?? digits;
      const [after, before] = [1 - from, from].map((n, at) => (
        chip(series[n], number(numbers[n], decimals), at ? "−" : "", lookOf(n))));
      chips.splice(0, 2, after, before, chip("difference", number(change, decimals), "=", "tl-divided"));
    }
    const names = { label: labels[row], series: series[column] };
    const hint = clickable.length
      ? "Click or Enter: choose this one. Space: pin. Arrow keys: move."
      : "Arrow keys: move. Click or Space: pin.";
    return { sentence, names, chips, hint };
  },
  shared: ({ row }) => ({ row, column: null }),
  sharing: ({ rows }, { row }) => rows[row ?? -1]?.head ?? [],
  key: (event, place) => event.key === "Enter" && choose(place),
  click({ target }, place) {
    const label = /** @type {HTMLElement} */ (target).closest(".tl-bar-label");
    const { of: panel, at } = /** @type {HTMLElement | null} */ (label)?.dataset ?? {};
    const asked = place ?? (panel ? { panel, row: Number(at), column: 0 } : null);
    if (!asked || !choose(asked)) return false;
    view.go(asked);
    return true;
  },
  step({ panel, row, column }, key) {
    const { count, series: { length } } = view.drawings[panel];
    const n = stepTo(key, row * length + column, count * length, "ArrowUp ArrowLeft", "ArrowDown ArrowRight");
    return n === null ? null : { panel, row: Math.floor(n / length), column: n % length };
  },
});

export default { render: (/** @type {Context} */ context) => makeView(context, barsKind) };
