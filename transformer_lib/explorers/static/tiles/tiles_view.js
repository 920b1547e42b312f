// TilesView: numbered tiles that glide to where Python puts them.
//
// What is drawn is in Tiles, charts.py. Tile n is the same number on every board, so the
// tile in view is marked on all of them. A place is tile n: {panel, row: n, column: 0}.

import { make, setText, stepTo } from "../shared/dom.js";
import { makeView } from "../shared/view.js";
import { makeMover, outline } from "./mixture.js";

const inTiles = (/** @type {number} */ x) => `calc(var(--tile) * ${x})`;

function putAt(/** @type {HTMLElement} */ { style }, /** @type {number} */ x, /** @type {number} */ y) {
  const [left, top] = [inTiles(x), inTiles(y)];
  if (style.left !== left) style.left = left;
  if (style.top !== top) style.top = top;
}

/** The marks beside the tiles, and a board as large as they all need. @param {Tiles} drawing */
function label({ board: [wide, high], plate, marks, labels }) {
  Object.assign(plate.style, { width: inTiles(wide), height: inTiles(high) });
  while (labels.length > marks.length) labels.pop()?.remove();
  while (labels.length < marks.length) {
    const tag = make("span", "tl-tag tl-cut");
    labels.push(tag);
    plate.append(tag);
  }
  marks.forEach(([x, y, text], n) => {
    setText(labels[n], text);
    putAt(labels[n], x, y);
  });
}

/** @param {View<Tiles, Cell>} view @returns {Kind<Tiles, Cell>} */
const tilesKind = (view, mover = makeMover(view)) => ({
  cleared: () => void (view.focus = null),
  build(/** @type {Tiles} */ { name, title, faces, corners }, { foot }) {
    const plate = make("div", "tl-board", "", { role: "group", "aria-label": title });
    const tiles = faces.map(([above, below], n) => {
      const named = { title: `${above} ${below}`, "data-panel": name, "data-n": n };
      const pressed = { type: "button", tabindex: -1, "aria-pressed": false };
      const tile = make("button", "tl-tile tl-shade", "", { ...pressed, ...named });
      tile.append(make("small", "tl-cut", above), make("b", "tl-cut", below));
      return tile;
    });
    if (corners.length) plate.append(outline(corners));
    plate.classList.toggle("tl-moved", corners.length > 0);
    plate.append(...tiles);
    foot.before(plate);
    return { plate, tiles, labels: [], order: [] };
  },
  update(drawing) {
    const { at } = view.tables[drawing.name];
    const { tiles } = drawing;
    const [x, y, step] = [0, 1, 2].map((k) => (/** @type {number} */ n) => at[3 * n + k]);
    tiles.forEach((tile, n) => {
      putAt(tile, x(n), y(n));
      const look = `tl-${step(n)}`; // its shade
      if (tile.look === look) return;
      tile.classList.remove(tile.look ?? look);
      tile.classList.add(tile.look = look);
    });
    drawing.order = tiles.map((_, n) => n).sort((a, b) => y(a) - y(b) || x(a) - x(b));
    drawing.stop ??= tiles[drawing.order[0]];
    drawing.stop.tabIndex = 0;
    label(drawing);
    mover.arrived();
  },
  nodeAt: ({ panel, row }) => view.drawings[panel]?.tiles[row],
  lit(place) {
    const others = Object.values(view.drawings).map(({ tiles }) => tiles[place.row]);
    return [view.drawings[place.panel].tiles[place.row], ...others];
  },
  placeOf(node) {
    const { panel, n } = /** @type {HTMLElement | null} */ (node.closest(".tl-tile"))?.dataset ?? {};
    return panel ? { panel, row: Number(n), column: 0 } : null;
  },
  explain({ sentence, sayings, corners }, place) {
    const said = place ? sayings[place.row] : sentence; // with the reader's own braces
    const moves = "Drag, or arrow keys (Shift: less): move. Page keys: the next. Click or Space: pin.";
    const hint = "Arrow keys: the next number in this order. Click or Space: pin.";
    return { sentence: "{said}", names: { said }, hint: corners.length ? moves : hint };
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
