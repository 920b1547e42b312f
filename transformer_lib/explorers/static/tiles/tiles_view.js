// TilesView: numbered tiles that glide to where Python puts them.
//
// What is drawn is in Tiles, tiles.py. Tile n is the same number on every board, so the
// tile in view is marked on all of them. A place is tile n: {panel, row: n, column: 0}.

import { make, setText, stepTo } from "../shared/dom.js";
import { makeView } from "../shared/view.js";

/** @import { Cell, Context, Kind, Tiles, View } from "../shared/types.js" */

const inTiles = (/** @type {number} */ x) => `calc(var(--tile) * ${x})`;

/** @param {HTMLElement} node @param {number} x @param {number} y */
function putAt({ style }, x, y) {
  const [left, top] = [inTiles(x), inTiles(y)];
  if (style.left !== left) style.left = left;
  if (style.top !== top) style.top = top;
}

/** The marks beside the tiles, and a board as large as they all need. @param {Tiles} drawing */
function label({ board: [wide, high], plate, marks, labels }) {
  plate.style.width = inTiles(wide);
  plate.style.height = inTiles(high);
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
const tilesKind = (view) => ({
  cleared() {
    view.focus = null;
  },
  build(/** @type {Tiles} */ { name, title, faces }, { foot }) {
    const plate = make("div", "tl-board", "", { role: "group", "aria-label": title });
    const tiles = faces.map(([above, below], n) => {
      const named = { title: `${above} ${below}`, "data-panel": name, "data-n": String(n) };
      const tile = make("button", "tl-tile tl-shade", "", { type: "button", "aria-pressed": "false", ...named });
      tile.append(make("small", "tl-cut", above), make("b", "tl-cut", below));
      tile.tabIndex = -1;
      return tile;
    });
    plate.append(...tiles);
    foot.before(plate);
    return { plate, tiles, labels: [], order: [] };
  },
  update(drawing) {
    const { at } = view.tables[drawing.name];
    const { tiles } = drawing;
    tiles.forEach((tile, n) => {
      putAt(tile, at[3 * n], at[3 * n + 1]);
      const look = `tl-${at[3 * n + 2]}`; // its shade
      if (tile.look !== look) tile.classList.replace(String(tile.look), look) || tile.classList.add(look);
      tile.look = look;
    });
    const line = (/** @type {number} */ n) => at[3 * n + 1];
    drawing.order = tiles.map((_, n) => n).sort((a, b) => line(a) - line(b) || at[3 * a] - at[3 * b]);
    drawing.stop ??= tiles[drawing.order[0]];
    drawing.stop.tabIndex = 0;
    label(drawing);
  },
  first: () => null,
  nodeAt: ({ panel, row }) => view.drawings[panel]?.tiles[row],
  lit(place) {
    const others = Object.values(view.drawings).map(({ tiles }) => tiles[place.row]);
    return [view.drawings[place.panel].tiles[place.row], ...others];
  },
  placeOf(node) {
    const tile = /** @type {HTMLElement | null} */ (node.closest(".tl-tile"));
    return tile && { panel: tile.dataset.panel ?? "", row: Number(tile.dataset.n), column: 0 };
  },
  explain({ sentence, sayings }, place) {
    const said = place ? sayings[place.row] : sentence; // with the reader's own braces
    const hint = "Arrow keys: the next number in this order. Click or Space: pin.";
    return { sentence: "{said}", names: { said }, hint };
  },
  step({ panel, row }, key) {
    const { order } = view.drawings[panel];
    const [back, forth] = [["ArrowLeft", "ArrowUp"], ["ArrowRight", "ArrowDown"]];
    const next = stepTo(key, order.indexOf(row), order.length, back, forth);
    return next === null ? null : { panel, row: order[next], column: 0 };
  },
});

export default { render: (/** @type {Context} */ context) => makeView(context, tilesKind) };
