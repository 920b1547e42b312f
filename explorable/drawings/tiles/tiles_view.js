// TilesView: numbered tiles that glide to where Python puts them.
//
// What is drawn is in Tiles, tiles.py. Tile n is the same number on every board, so the
// tile in view is marked on all of them. A place is tile n: {panel, row: n, column: 0}.

import { cut, make, put, putAll, stepTo } from "../../static/shared/dom.js";
import { makeView } from "../../static/shared/view.js";
import { makeMover, outline } from "./mixture.js";

const TILE = 3; // em a side

/** Where a tile lies, in plain lengths: the page then leaves the rest of its style alone. @param {Point} at */
const lies = ([x, y]) => ({ left: `${TILE * x}em`, top: `${TILE * y}em` });

/** @param {View<Tiles, Cell>} view @returns {Kind<Tiles, Cell>} */
const tilesKind = (view, mover = makeMover(view)) => ({
  /** All but what the tiles say: that changes in place. */
  plan: (key, x) => (key === "faces" ? x.length : x),
  build(/** @type {Tiles} */ { name, title, faces, corners }, { foot }) {
    const tiles = faces.map((_, row) => {
      const place = { tabindex: -1, "data-panel": name, "data-row": row, "data-column": 0 };
      return make("button", "tl-tile tl-0", { "aria-pressed": false, ...place }, make("small"), make("b"));
    });
    const labels = make("div");
    const parts = [corners.length ? outline(corners) : "", ...tiles, labels];
    const look = corners.length ? "tl-board tl-moved" : "tl-board";
    const plate = make("div", look, { role: "group", "aria-label": title, style: `--tile: ${TILE}em` }, ...parts);
    foot.before(plate);
    return { plate, tiles, labels, order: [] };
  },
  update(drawing) {
    const { name, tiles, faces, plate, board: [wide, high], labels, marks } = drawing;
    const { at } = view.tables[name];
    const [x, y, step] = [0, 1, 2].map((k) => (/** @type {number} */ n) => at[3 * n + k]);
    tiles.forEach((tile, n) => {
      put(tile, { title: faces[n].join(" ") });
      faces[n].forEach((text, part) => put(tile.children[part], { class: cut(text), text }));
      Object.assign(tile.style, lies([x(n), y(n)]));
      tile.className = tile.className.replace(/tl-\d+/, `tl-${step(n)}`);
    });
    Object.assign(plate.style, { width: `${TILE * wide}em`, height: `${TILE * high}em` });
    putAll(labels, () => make("span"), marks.map(([left, top, text]) => (
      { class: `tl-tag ${cut(text)}`, style: `left: ${TILE * left}em; top: ${TILE * top}em`, text })));
    drawing.order = tiles.map((_, n) => n).sort((a, b) => y(a) - y(b) || x(a) - x(b));
  },
  explain({ sentence, sayings, corners }, place) {
    const said = place ? sayings[place.row] : sentence; // with the reader's own braces
    const moves = "Drag, or arrow keys (Shift: less): move. Page keys: the next. Click or Space: pin.";
    const hint = "Arrow keys: the next number in this order. Click or Space: pin.";
    const lit = place ? Object.values(view.drawings).flatMap(({ tiles }) => tiles[place.row] ?? []) : [];
    return { sentence: "{said}", names: { said }, hint: corners.length ? moves : hint, lit };
  },
  key: (event, place) => mover.key(event, place),
  click: () => mover.moved(),
  step({ panel, row }, key) {
    const { order } = view.drawings[panel];
    const [back, forth] = ["ArrowLeft ArrowUp PageUp", "ArrowRight ArrowDown PageDown"];
    const to = stepTo(key, order.indexOf(row), order.length, back, forth);
    return to === null ? null : { panel, row: order[to], column: 0 };
  },
});

export default { render: (/** @type {Context} */ context) => makeView(context, tilesKind) };
