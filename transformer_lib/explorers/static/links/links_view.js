// LinksView: queries at the left, keys at the right, and weights as ribbons between them.
//
// What is drawn is in Links, links.py. A place has a row (the query in view) or a column
// (the key), null for the other; one that comes from another view may have both.

import { make, setText, stepTo } from "../shared/dom.js";
import { number, shade, valueAt } from "../shared/numbers.js";
import { makeView } from "../shared/view.js";
import { makeRibbons, paintRibbon } from "./ribbons.js";

/** @import { Chip, Context, End, Kind, Links, Place, Spot, View } from "../shared/types.js" */

/** @type {Spot} */
const NOWHERE = { row: null, column: null };

/** @param {View<Links, Place>} view @returns {Kind<Links, Place>} */
function linksKind(view) {
  const { root } = view;

  /** One word: a button, and beside it the place for its number. @returns {End} */
  function makeEnd(/** @type {string} */ panel, /** @type {string} */ word, /** @type {string} */ side, /** @type {number} */ n) {
    const line = make("div", "tl-end");
    const named = { "data-panel": panel, "data-side": side, "data-n": String(n), "aria-pressed": "false" };
    const button = make("button", "tl-cut", word || "·", { type: "button", title: word, ...named });
    button.tabIndex = -1;
    const weight = make("span", "tl-weight");
    line.append(...(side === "row" ? [weight, button] : [button, weight]));
    return { line, button, weight };
  }

  /** @param {string} axis @param {string} role @param {End[]} ends */
  function makeSide(axis, role, ends) {
    const column = make("div", `tl-side of-${role}`);
    column.append(make("div", "tl-axis", axis), ...ends.map(({ line }) => line));
    return column;
  }

  /** @param {Links} drawing @param {number} row @param {number} column */
  const weight = ({ name }, row, column) => valueAt(view.tables[name], row, column);

  /** @param {Links} drawing @param {number} row @param {number} column */
  const hides = ({ name }, row, column) => {
    const hidden = view.tables[`${name}.hidden`];
    return Boolean(hidden && valueAt(hidden, row, column));
  };

  /** The ribbons in words: each query's largest weight. @param {Links} drawing */
  function inWords(drawing) {
    const { rows, columns, digits } = drawing;
    return rows.map((word, r) => {
      const open = columns.map((_, c) => c).filter((c) => !hides(drawing, r, c));
      if (!open.length) return `${word}: all hidden`;
      const top = open.reduce((a, b) => (weight(drawing, r, b) > weight(drawing, r, a) ? b : a));
      return `${word} most to ${columns[top]}, ${number(weight(drawing, r, top), digits)}`;
    }).join("; ");
  }

  /** Show the ribbons of a place; a query's come first where there is a key as well. */
  function show(/** @type {Links} */ drawing, /** @type {Spot} */ { row, column }) {
    drawing.body.classList.toggle("tl-some", row !== null || column !== null);
    drawing.ribbons.forEach((paths, r) => paths.forEach((path, c) => {
      path.classList.toggle("tl-on", row === null ? c === column : r === row);
    }));
    drawing.queries.forEach((end, r) => {
      if (r === row) view.mark(end.line, "tl-now");
      tellWeight(drawing, end, row === null && column !== null ? [r, column] : null);
    });
    drawing.keys.forEach((end, c) => {
      if (c === column) view.mark(end.line, "tl-now");
      tellWeight(drawing, end, row !== null ? [row, c] : null);
    });
  }

  /** @param {Links} drawing @param {End} end @param {[number, number] | null} link */
  function tellWeight(drawing, end, link) {
    const off = link && hides(drawing, ...link);
    const x = link ? weight(drawing, ...link) : 0;
    setText(end.weight, !link ? "" : off ? "hidden" : number(x, drawing.digits));
    const look = !link ? "" : off ? "tl-hidden" : shade(drawing.palette, x, 1);
    end.weight.className = `tl-weight ${look}`.trim();
  }

  /** The largest weights of a word, as boxes. @returns {Chip[]} */
  function largest(/** @type {Links} */ drawing, /** @type {Spot} */ { row, column }) {
    /** @type {[string, number, number][]} */
    const links = row === null
      ? drawing.rows.map((word, r) => [word, r, column ?? 0])
      : drawing.columns.map((word, c) => [word, row, c]);
    const open = links.filter(([, r, c]) => !hides(drawing, r, c))
      .map(([word, r, c]) => ({ word, x: weight(drawing, r, c) }))
      .sort((a, b) => b.x - a.x);
    /** @type {Chip[]} */
    const chips = open.slice(0, 6).map(({ word, x }) => [word, number(x, drawing.digits)]);
    const [rest, off] = [open.length - chips.length, links.length - open.length];
    if (rest) chips.push(["smaller", String(rest), "tl-none"]);
    if (off) chips.push(["hidden", String(off), "tl-none"]);
    return chips;
  }

  /** @param {Place} place */
  const endAt = ({ panel, row, column }) => (
    view.drawings[panel]?.[row === null ? "keys" : "queries"][row ?? column ?? -1]);

  // All ribbons show again when the mouse and the focus have left.
  const away = (/** @type {EventTarget | null} */ to) => !(to instanceof Node && root.contains(to));
  root.addEventListener("pointerleave", () => away(document.activeElement) && view.rest());
  root.addEventListener("focusout", ({ relatedTarget }) => away(relatedTarget) && view.rest());

  return {
    cleared() {
      view.focus = view.also = null;
    },
    build(/** @type {Links} */ frame, { foot }) {
      const { name, title, rows, columns, axes } = frame;
      const most = Math.max(rows.length, columns.length);
      const longest = Math.max(...[...rows, ...columns].map((word) => word.length));
      const label = `${title}: ${axes[0]} at the left, ${axes[1]} at the right`;
      const body = make("div", `tl-links${most > 24 ? " tl-many" : ""}`, "", { role: "group", "aria-label": label });
      body.style.setProperty("--lines", String(most));
      body.style.setProperty("--word", `${1.4 + 0.55 * Math.min(12, longest)}em`);
      const queries = rows.map((word, n) => makeEnd(name, word, "row", n));
      const keys = columns.map((word, n) => makeEnd(name, word, "column", n));
      const { picture, ribbons } = makeRibbons(frame);
      body.append(makeSide(axes[0], "query", queries), picture, makeSide(axes[1], "key", keys));
      foot.before(body);
      queries[0].button.tabIndex = 0;
      return { body, picture, ribbons, queries, keys, stop: queries[0].button };
    },
    update(drawing) {
      drawing.ribbons.forEach((row, r) => row.forEach((path, c) => {
        paintRibbon(path, weight(drawing, r, c), hides(drawing, r, c));
      }));
      drawing.picture.setAttribute("aria-label", inWords(drawing));
    },
    first: () => null,
    nodeAt: (place) => endAt(place)?.button,
    lit: (place) => [endAt(place)?.line],
    placeOf(node) {
      const button = node.closest(".tl-end")?.querySelector("button");
      if (!button) return null;
      const { panel = "", side = "", n } = button.dataset;
      return { panel, ...NOWHERE, [side]: Number(n) };
    },
    explain(drawing, place) {
      for (const each of Object.values(view.drawings)) {
        const shares = view.also?.shares === each.shares && view.also;
        show(each, place?.panel === each.name ? place : shares || NOWHERE);
      }
      const shown = place ?? (view.also?.shares === drawing.shares && view.also) ?? null;
      if (!shown || (shown.row === null && shown.column === null)) {
        return { sentence: drawing.all_of_it, names: {}, hint: "Arrow keys: move. Click or Space: pin." };
      }
      const { row, column } = shown;
      const word = row === null ? drawing.columns[column ?? 0] : drawing.rows[row];
      const sentence = row === null ? drawing.back : drawing.sentence;
      const hint = "Arrow keys: move. Click or Space: pin. Escape: all lines.";
      return { sentence, names: { word }, chips: largest(drawing, shown), hint };
    },
    step({ panel, row, column }, key) {
      const { rows, columns } = view.drawings[panel];
      const at = row ?? column ?? 0;
      if (key === "ArrowLeft") return { panel, row: Math.min(at, rows.length - 1), column: null };
      if (key === "ArrowRight") return { panel, row: null, column: Math.min(at, columns.length - 1) };
      const next = stepTo(key, at, (row === null ? columns : rows).length, ["ArrowUp"], ["ArrowDown"]);
      if (next === null) return null;
      return row === null ? { panel, row, column: next } : { panel, row: next, column };
    },
    key({ key }) {
      if (key !== "Escape") return false;
      view.hold(null);
      view.rest();
      return true;
    },
    heard() {
      view.focus = null;
    },
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, linksKind) };
