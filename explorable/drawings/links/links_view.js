// LinksView: queries on the left, keys on the right, and weights as ribbons between them.
//
// What is drawn is in AttentionLinks, links.py. A place has a row (the query in view) or a column
// (the key), null for the other; one that comes from another view may have both.

import { chip, make, put, stepTo } from "../../static/shared/dom.js";
import { hueBelow, number, shadeOf, valueAt } from "../../static/shared/numbers.js";
import { makeView } from "../../static/shared/view.js";
import { makeRibbons, paintRibbon } from "./ribbons.js";

/** @type {Spot} */
const NOWHERE = { row: null, column: null };
const [MOST, LEAST] = [5, 0.05]; // weights that are said one by one; the others are said together

/** What stands above a side: its name, and what its words carry. @param {string} name @param {string[]} features */
function headOf(name, features, /** @type {boolean} */ isRow) {
  if (!features.length) return [name];
  const both = [make("span", "tl-carried", ...features.map((text) => make("b", "", text))), make("span", "", name)];
  return isRow ? both : both.reverse();
}

/** The words of one side: each a button, and beside it the place for its number. @param {AttentionLinks} frame */
function makeSide({ name, rows, columns, axes, arcs, palette, features }, /** @type {"row" | "column"} */ side) {
  const isRow = side === "row";
  const ends = (isRow ? rows : columns).map((word, n) => {
    const pressed = { tabindex: -1, "aria-pressed": false };
    const button = make("button", "tl-cut", { title: word, ...pressed }, word || "·");
    const weight = make("span", "tl-weight");
    const cells = features.map(() => make("i"));
    const beside = features.length ? make("span", "tl-carried", ...cells) : weight;
    const both = isRow ? [beside, button] : [button, beside];
    return { line: make("div", "tl-end", { "data-panel": name, [`data-${side}`]: n }, ...both), weight, cells };
  });
  const axis = arcs ? "" : make("div", "tl-axis tl-quiet", ...headOf(axes[isRow ? 0 : 1], features, isRow));
  const role = arcs ? "weights" : features.length ? palette : isRow ? "query" : "key";
  return { ends, box: make("div", `tl-side of-${role}`, axis, ...ends.map(({ line }) => line)) };
}

/** @param {View<AttentionLinks, Place>} view @returns {Kind<AttentionLinks, Place>} */
function linksKind(view) {
  const { root } = view;

  /** A weight: its number, whether it is hidden, and how it is written. @param {AttentionLinks} drawing */
  function weigh({ name, digits }, /** @type {number} */ row, /** @type {number} */ column) {
    const hidden = view.tables[`${name}.hidden`];
    const hides = Boolean(hidden && valueAt(hidden, row, column));
    const x = valueAt(view.tables[name], row, column);
    return { x, hides, text: hides ? "hidden" : number(x, digits) };
  }

  /** What one word looks at, or what looks at it: in order. @param {AttentionLinks} drawing @param {Spot} spot */
  const linksOf = (drawing, { row, column }) => (row === null
    ? drawing.rows.map((word, n) => ({ word, ...weigh(drawing, n, column ?? 0) }))
    : drawing.columns.map((word, n) => ({ word, ...weigh(drawing, row, n) })));

  /** The same, the largest first. @param {AttentionLinks} drawing @param {Spot} spot */
  const ranked = (drawing, spot) => (
    linksOf(drawing, spot).sort((a, b) => Number(a.hides) - Number(b.hides) || b.x - a.x));

  /** The ribbons in words: each query's largest weight. @param {AttentionLinks} drawing */
  const inWords = (drawing) => drawing.rows.map((word, row) => {
    const [top] = ranked(drawing, { row, column: null });
    return `${word}${top.hides ? ": all hidden" : ` most to ${top.word}, ${top.text}`}`;
  }).join("; ");

  /** What a drawing shows: the place in view, another view's, or the chosen query. @param {AttentionLinks} drawing */
  function spotIn({ name, shares, chosen }, /** @type {Place | null} */ place) {
    const spot = place?.panel === name ? place : view.also?.shares === shares ? view.also : NOWHERE;
    const isShared = spot === view.also && carries(name); // as a row of what stands where the keys do
    if ((spot.row ?? spot.column) !== null) return isShared ? pathOf(name, null, spot.row) : spot;
    return chosen < 0 ? NOWHERE : { row: chosen, column: null };
  }

  const carries = (/** @type {string} */ name) => view.drawings[name].features.length > 0;

  /** Both ends of the one ribbon of a word that carries numbers. @param {string} name @param {number | null} row */
  function pathOf(name, row, /** @type {number | null} */ column) {
    const { rows, columns } = view.drawings[name];
    const isOn = (/** @type {number} */ r, /** @type {number} */ c) => valueAt(view.tables[name], r, c) > 0;
    return {
      row: row ?? rows.findIndex((_, r) => isOn(r, column ?? 0)),
      column: column ?? columns.findIndex((_, c) => isOn(row ?? 0, c)),
    };
  }

  /** Show the ribbons of a place; a query's come first where there is a key as well: the words in view. */
  function show(/** @type {AttentionLinks} */ drawing, /** @type {Spot} */ spot) {
    const { name, body, ribbons, queries, keys } = drawing;
    const isPath = carries(name) && (spot.row ?? spot.column) !== null;
    const { row, column } = isPath ? pathOf(name, spot.row, spot.column) : spot;
    const some = row !== null || column !== null;
    body.classList.toggle("tl-some", some);
    ribbons.forEach((paths, r) => paths.forEach((path, c) => {
      path.classList.toggle("tl-on", row === null ? c === column : r === row);
    }));
    const told = row === null ? queries : keys;
    const weights = some ? linksOf(drawing, spot) : [];
    for (const ends of new Set([queries, keys])) { // which are the same below arcs
      ends.forEach(({ weight }, n) => {
        const { x = 0, hides = false, text = "" } = (ends === told && weights[n]) || {};
        const zero = Number(text) === 0 ? " tl-zero" : "";
        const look = hides ? " tl-hidden" : text && ` ${shadeOf(x, 1)}${zero}`;
        put(weight, { text, class: `tl-weight${look}` });
      });
    }
    return [queries[row ?? -1], keys[column ?? -1]].flatMap((end) => end?.line ?? []);
  }

  /** Write and shade what each word carries. @param {AttentionLinks} drawing */
  function carry({ name, features, queries, keys, digits, vmax }) {
    if (!features.length) return;
    for (const [ends, side] of /** @type {const} */ ([[queries, "rows"], [keys, "columns"]])) {
      ends.forEach(({ cells }, row) => cells.forEach((cell, column) => {
        const x = valueAt(view.tables[`${name}.${side}`], row, column);
        put(cell, { text: number(x, digits), class: `${shadeOf(x, vmax)} ${hueBelow(x)}`.trim() });
      }));
    }
  }

  /** Boxes of a word's largest weights, and their rest. @param {AttentionLinks} drawing @param {Spot} spot */
  function largest(drawing, spot) {
    const links = ranked(drawing, spot);
    const open = links.filter(({ hides }) => !hides);
    const large = open.filter(({ x }, n) => n === 0 || (n < MOST && x >= LEAST));
    const chips = large.map(({ word, text }) => chip(word, text));
    const small = open.slice(large.length);
    const off = links.length - open.length;
    const together = small.reduce((sum, { x }) => sum + x, 0);
    const rest = number(together, drawing.digits);
    if (small.length) chips.push(chip(`${small.length} more, together`, rest, "", "tl-none"));
    if (off) chips.push(chip("hidden", String(off), "", "tl-none"));
    return chips;
  }

  // All ribbons show again when the mouse and the focus have left.
  const away = (/** @type {EventTarget | null} */ to) => !(to instanceof Node && root.contains(to));
  root.addEventListener("pointerleave", () => away(document.activeElement) && view.clear());
  root.addEventListener("focusout", ({ relatedTarget }) => away(relatedTarget) && view.clear());

  return {
    build(/** @type {AttentionLinks} */ frame, { foot }) {
      const { title, rows, columns, axes, arcs, features } = frame;
      const most = Math.max(rows.length, columns.length);
      const longest = Math.max(...[...rows, ...columns].map((word) => word.length));
      const label = arcs ? title : `${title}: ${axes[0]} on the left, ${axes[1]} on the right`;
      const room = arcs ? 3.6 : features.length ? 3.8 : 2.6; // em beside the letters of a word
      const style = `--lines: ${most}; --word: ${room + 0.5 * Math.min(12, longest)}em`;
      const look = `tl-links${arcs ? " tl-arcs" : most > 24 ? " tl-many" : ""}${features.length ? " tl-carries" : ""}`;
      const queries = makeSide(frame, "row");
      const keys = arcs ? queries : makeSide(frame, "column");
      const { picture, ribbons } = makeRibbons(frame);
      const parts = arcs ? [picture, queries.box] : [queries.box, picture, keys.box];
      const body = make("div", look, { role: "group", "aria-label": label, style }, ...parts);
      foot.before(body);
      return { body, picture, ribbons, queries: queries.ends, keys: keys.ends };
    },
    update(drawing) {
      drawing.ribbons.forEach((row, r) => row.forEach((path, c) => {
        const { x, hides } = weigh(drawing, r, c);
        paintRibbon(path, hides ? 0 : x);
      }));
      put(drawing.picture, { "aria-label": inWords(drawing) });
      carry(drawing);
    },
    explain(drawing, place) {
      const lit = Object.values(view.drawings).flatMap((each) => show(each, spotIn(each, place)));
      const spot = spotIn(drawing, place);
      const { row, column } = spot;
      const { name, sayings } = drawing;
      const hint = "Arrow keys: move. Click or Space: pin.";
      if (row === null && column === null) return { sentence: drawing.all_of_it, names: {}, hint, lit };
      if (carries(name)) {
        return { sentence: "{said}", names: { said: sayings[pathOf(name, row, column).row] }, hint, lit };
      }
      const word = row === null ? drawing.columns[column ?? 0] : drawing.rows[row];
      const sentence = row === null ? drawing.back : drawing.sentence;
      const all = drawing.chosen < 0 ? " Escape: all lines." : "";
      return { sentence, names: { word }, chips: largest(drawing, spot), hint: hint + all, lit };
    },
    step({ panel, row, column }, key) {
      const { rows, columns, arcs } = view.drawings[panel];
      const [at, here] = [row ?? column ?? 0, row === null ? columns : rows];
      const there = arcs ? undefined : { ArrowLeft: rows, ArrowRight: columns }[key];
      const [side, ways] = [there ?? here, arcs ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"]];
      const to = there ? Math.min(at, side.length - 1) : stepTo(key, at, side.length, ways[0], ways[1]);
      return to === null ? null : { panel, ...NOWHERE, [side === rows ? "row" : "column"]: to };
    },
    key({ key }) {
      if (key !== "Escape") return false;
      view.pin(null);
      view.clear();
      return true;
    },
    shared(place) {
      if (!carries(place.panel)) return place;
      return { row: pathOf(place.panel, place.row, place.column).column, column: null };
    },
    heard: () => void (view.focus = null),
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, linksKind) };
