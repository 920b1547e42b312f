// TilesView: numbered tiles that glide to where Python puts them.
//
// What is drawn is in Tiles, tiles.py. Tile n is the same number on every board, so the
// tile in view is marked on all of them. A place is tile n: {panel, row: n, column: 0}.

import { cut, make, put, putAll, stepTo } from "../../static/shared/dom.js";
import { makeView } from "../../static/shared/view.js";
import { makeMover, outline, pull, pullsTo } from "./mixture.js";

/** Where a tile lies, in plain lengths: the page then leaves the rest of its style alone. @param {Tiles} drawing */
const lies = ({ tile: [wide, high] }, /** @type {Point} */ [x, y]) => ({ left: `${wide * x}em`, top: `${high * y}em` });

/** @param {View<Tiles, Cell>} view @returns {Kind<Tiles, Cell>} */
const tilesKind = (view, mover = makeMover(view)) => ({
  /** All but what the tiles say: that changes in place. */
  plan: (key, x) => (key === "faces" ? x.length : x),
  build(/** @type {Tiles} */ { name, title, faces, corners, running, tile: [wide, high] }, { foot }) {
    const tiles = faces.map((_, row) => {
      const place = { tabindex: -1, "data-panel": name, "data-row": row, "data-column": 0 };
      return make("button", "tl-tile tl-0", { "aria-pressed": false, ...place }, make("small"), make("b"));
    });
    const labels = make("div");
    const pulls = corners.length ? faces.map(() => pullsTo(corners)) : [];
    const parts = [corners.length ? outline(corners) : "", ...pulls, ...tiles, labels];
    const look = corners.length ? "tl-board tl-moved" : running ? "tl-board tl-running" : "tl-board";
    const size = { style: `--tile: ${wide}em; --tile-high: ${high}em` };
    const plate = make("div", look, { role: "group", "aria-label": title }, size, ...parts);
    foot.before(plate);
    const says = make("div", "tl-note tl-concludes"); // of the tile in view
    if (corners.length) foot.after(says);
    return { plate, tiles, pulls, labels, says, order: [] };
  },
  update(drawing) {
    const { name, tiles, faces, sayings, plate, board: [across, down], labels, marks, running } = drawing;
    const { wide, later, listed, clickable, pulls, corners } = drawing;
    const { at } = view.tables[name];
    const [x, y, step] = [0, 1, 2].map((k) => (/** @type {number} */ n) => at[3 * n + k]);
    tiles.forEach((tile, n) => {
      put(tile, running ? { "aria-label": sayings[n] } : { title: faces[n].join(" ") });
      faces[n].forEach((text, part) => put(tile.children[part], { class: cut(text), text }));
      Object.assign(tile.style, lies(drawing, [x(n), y(n)]));
      tile.className = tile.className.replace(/tl-\d+/, `tl-${step(n)}`);
      tile.classList.toggle("tl-later", n >= tiles.length - later);
      tile.classList.toggle("tl-asked", Boolean(clickable[n]));
      if (!running) return;
      tile.classList.toggle("tl-next", faces[n][0] === "✓");
      tile.classList.toggle("tl-line", listed || wide[n] > across - 2); // alone in its line
      tile.style.width = lies(drawing, [wide[n], 0]).left;
    });
    pulls.forEach((lines, n) => pull(lines, corners, [x(n), y(n)]));
    const { left: width, top: height } = lies(drawing, [across, down]);
    Object.assign(plate.style, { width, height });
    putAll(labels, () => make("span"), marks.map(([x0, y0, text]) => {
      const { left, top } = lies(drawing, [x0, y0]);
      return { class: `tl-tag ${cut(text)}`, style: `left: ${left}; top: ${top}`, text };
    }));
    drawing.order = tiles.map((_, n) => n).sort((a, b) => y(a) - y(b) || x(a) - x(b));
  },
  first([{ name: panel }]) {
    const { opens: row } = view.drawings[panel];
    return row < 0 ? null : { panel, row, column: 0 };
  },
  /** Between corners, the tile whose row a table has in view is in view here, too. */
  heard({ shares, row }) {
    const drawing = Object.values(view.drawings).find((one) => one.corners.length && one.shares === shares);
    if (drawing && row !== null && drawing.tiles[row]) view.focus = { panel: drawing.name, row, column: 0 };
  },
  shared: (place) => (view.drawings[place.panel].corners.length ? { ...place, column: null } : place),
  explain({ sentence, sayings, corners, clickable, says }, place) {
    const said = place ? sayings[place.row] : sentence; // with the reader's own braces
    if (corners.length && says.textContent !== said) says.textContent = said;
    const moves = "Drag, or arrow keys (Shift: less): move. Page keys: the next. Click or Space: pin.";
    const hint = clickable.length
      ? "Click or Enter: choose this one. Space: pin it. Arrow keys: move."
      : "Arrow keys: the next one. Click or Space: pin it.";
    const every = place ? Object.values(view.drawings) : [];
    const lit = every.flatMap(({ tiles, pulls }) => [tiles, pulls].flatMap((nodes) => nodes[place?.row ?? -1] ?? []));
    return { sentence: "{said}", names: { said }, hint: corners.length ? moves : hint, lit };
  },
  key(event, place) {
    if (mover.key(event, place)) return true;
    if (event.key !== " " || !view.drawings[place.panel].clickable.length) return false;
    view.togglePin(place); // the button's own click chooses
    return true;
  },
  click(_, place) {
    if (mover.moved()) return true;
    if (!place || !view.drawings[place.panel].clickable[place.row]) return false;
    view.go(place);
    return view.kernel.send({ type: "choose", ...place });
  },
  step({ panel, row }, key) {
    const { order } = view.drawings[panel];
    const [back, forth] = ["ArrowLeft ArrowUp PageUp", "ArrowRight ArrowDown PageDown"];
    const to = stepTo(key, order.indexOf(row), order.length, back, forth);
    return to === null ? null : { panel, row: order[to], column: 0 };
  },
});

export default { render: (/** @type {Context} */ context) => makeView(context, tilesKind) };
