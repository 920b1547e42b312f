// LinksView: queries at the left, keys at the right, and weights as ribbons between them.
//
// What is drawn is in Links, links.py. A place has a row (the query in view) or a column
// (the key), null for the other; one that comes from another view may have both.

import { chip, make, setText, stepTo } from "../shared/dom.js";
import { number, shadeOf, valueAt } from "../shared/numbers.js";
import { makeView } from "../shared/view.js";
import { makeRibbons, paintRibbon } from "./ribbons.js";

/** @type {Spot} */
const NOWHERE = { row: null, column: null };
/** What is in view while nothing is pointed at. @param {Links} drawing @returns {Spot} */
const atRest = ({ chosen }) => (chosen < 0 ? NOWHERE : { row: chosen, column: null });

/** The words of one side: each a button, and beside it the place for its number. */
function makeEnds(/** @type {Links} */ { name, rows, columns }, /** @type {"row" | "column"} */ side) {
  return (side === "row" ? rows : columns).map((word, n) => {
    const line = make("div", "tl-end");
    const pressed = { type: "button", tabindex: -1, "aria-pressed": false };
    const place = { title: word, "data-panel": name, "data-side": side, "data-n": n };
    const button = make("button", "tl-cut", word || "·", { ...pressed, ...place });
    const weight = make("span", "tl-weight");
    line.append(...(side === "row" ? [weight, button] : [button, weight]));
    return { line, button, weight };
  });
}

function makeSide(/** @type {string} */ axis, /** @type {string} */ role, /** @type {End[]} */ ends) {
  const column = make("div", `tl-side of-${role}`);
  column.append(...(axis ? [make("div", "tl-axis", axis)] : []), ...ends.map(({ line }) => line));
  return column;
}

/** @param {View<Links, Place>} view @returns {Kind<Links, Place>} */
function linksKind(view) {
  const { root } = view;

  /** A weight: its number, whether it is hidden, and how it is written. @param {Links} drawing */
  function weigh({ name, digits }, /** @type {number} */ row, /** @type {number} */ column) {
    const hidden = view.tables[`${name}.hidden`];
    const hides = Boolean(hidden && valueAt(hidden, row, column));
    const x = valueAt(view.tables[name], row, column);
    return { x, hides, text: hides ? "hidden" : number(x, digits) };
  }

  /** What one word looks at, or what looks at it, the largest first. @param {Links} drawing @param {Spot} spot */
  function linksOf(drawing, { row, column }) {
    const all = row === null
      ? drawing.rows.map((word, n) => ({ word, ...weigh(drawing, n, column ?? 0) }))
      : drawing.columns.map((word, n) => ({ word, ...weigh(drawing, row, n) }));
    return all.sort((a, b) => Number(a.hides) - Number(b.hides) || b.x - a.x);
  }

  /** The ribbons in words: each query's largest weight. @param {Links} drawing */
  const inWords = (drawing) => drawing.rows.map((word, row) => {
    const [top] = linksOf(drawing, { row, column: null });
    return `${word}${top.hides ? ": all hidden" : ` most to ${top.word}, ${top.text}`}`;
  }).join("; ");

  /** Show the ribbons of a place; a query's come first where there is a key as well. */
  function show(/** @type {Links} */ drawing, /** @type {Spot} */ { row, column }) {
    const { body, ribbons, queries, keys } = drawing;
    body.classList.toggle("tl-some", row !== null || column !== null);
    ribbons.forEach((paths, r) => paths.forEach((path, c) => {
      path.classList.toggle("tl-on", row === null ? c === column : r === row);
    }));
    view.mark(queries[row ?? -1]?.line, "tl-now");
    view.mark(keys[column ?? -1]?.line, "tl-now");
    const [told, others] = row === null ? [queries, keys] : [keys, queries]; // arcs have one row of both
    if (others !== told) others.forEach((end) => tellWeight(drawing, end, null));
    told.forEach((end, n) => {
      tellWeight(drawing, end, row !== null ? [row, n] : column !== null ? [n, column] : null);
    });
  }

  /** @param {Links} drawing @param {End} end @param {[number, number] | null} link */
  function tellWeight(drawing, { weight }, link) {
    const { x, hides, text } = link ? weigh(drawing, ...link) : { x: 0, hides: false, text: "" };
    setText(weight, text);
    weight.className = `tl-weight ${!link ? "" : hides ? "tl-hidden" : `tl-shade ${shadeOf(x, 1)}`}`.trim();
  }

  /** The largest weights of a word, as boxes. @param {Links} drawing @param {Spot} spot */
  function largest(drawing, spot) {
    const links = linksOf(drawing, spot);
    const open = links.filter(({ hides }) => !hides);
    const chips = open.slice(0, 6).map(({ word, text }) => chip(word, text));
    const [rest, off] = [open.length - chips.length, links.length - open.length];
    if (rest) chips.push(chip("smaller", String(rest), "tl-none"));
    if (off) chips.push(chip("hidden", String(off), "tl-none"));
    return chips;
  }

  const endAt = (/** @type {Place} */ { panel, row, column }) => (
    view.drawings[panel]?.[row === null ? "keys" : "queries"][row ?? column ?? -1]);

  // All ribbons show again when the mouse and the focus have left.
  const away = (/** @type {EventTarget | null} */ to) => !(to instanceof Node && root.contains(to));
  root.addEventListener("pointerleave", () => away(document.activeElement) && view.rest());
  root.addEventListener("focusout", ({ relatedTarget }) => away(relatedTarget) && view.rest());

  return {
    cleared: () => void (view.focus = view.also = null),
    build(/** @type {Links} */ frame, { foot }) {
      const { title, rows, columns, axes, arcs } = frame;
      const most = Math.max(rows.length, columns.length);
      const longest = Math.max(...[...rows, ...columns].map((word) => word.length));
      const label = arcs ? title : `${title}: ${axes[0]} at the left, ${axes[1]} at the right`;
      const look = `tl-links${arcs ? " tl-arcs" : most > 24 ? " tl-many" : ""}`;
      const body = make("div", look, "", { role: "group", "aria-label": label });
      body.style.setProperty("--lines", String(most));
      body.style.setProperty("--word", `${1.4 + 0.55 * Math.min(12, longest)}em`);
      const queries = makeEnds(frame, "row");
      const keys = arcs ? queries : makeEnds(frame, "column");
      const { picture, ribbons } = makeRibbons(frame);
      if (arcs) body.append(picture, makeSide("", "weights", queries));
      else body.append(makeSide(axes[0], "query", queries), picture, makeSide(axes[1], "key", keys));
      foot.before(body);
      return { body, picture, ribbons, queries, keys, stop: queries[0].button };
    },
    update(drawing) {
      drawing.ribbons.forEach((row, r) => row.forEach((path, c) => {
        const { x, hides } = weigh(drawing, r, c);
        paintRibbon(path, hides ? 0 : x);
      }));
      drawing.picture.setAttribute("aria-label", inWords(drawing));
    },
    nodeAt: (place) => endAt(place)?.button,
    lit: (place) => [endAt(place)?.line],
    placeOf(node) {
      const { panel, side = "", n } = node.closest(".tl-end")?.querySelector("button")?.dataset ?? {};
      return panel ? { panel, ...NOWHERE, [side]: Number(n) } : null;
    },
    explain(drawing, place) {
      const spotIn = (/** @type {Links} */ each) => {
        const spot = place?.panel === each.name ? place : view.also?.shares === each.shares ? view.also : NOWHERE;
        return (spot?.row ?? spot?.column ?? null) === null ? atRest(each) : spot;
      };
      for (const each of Object.values(view.drawings)) show(each, spotIn(each));
      const spot = spotIn(drawing);
      const { row, column } = spot;
      if (row === null && column === null) {
        return { sentence: drawing.all_of_it, names: {}, hint: "Arrow keys: move. Click or Space: pin." };
      }
      const word = row === null ? drawing.columns[column ?? 0] : drawing.rows[row];
      const sentence = row === null ? drawing.back : drawing.sentence;
      const all = drawing.chosen < 0 ? " Escape: all lines." : "";
      const hint = `Arrow keys: move. Click or Space: pin.${all}`;
      return { sentence, names: { word }, chips: largest(drawing, spot), hint };
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
      view.hold(null);
      view.rest();
      return true;
    },
    heard: () => void (view.focus = null),
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, linksKind) };
