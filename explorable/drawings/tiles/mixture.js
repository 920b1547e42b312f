// Tiles that the reader moves between three corners: where one lies says how much of each
// it takes, and Python is told so.

import { put } from "../../static/shared/dom.js";
import { svg } from "../../static/shared/svg.js";

const WIDEST = 0.5; // tiles: the line to a corner that gives all
const [LEAST_SAID, SAID_AT, FAR] = [0.005, 0.58, 1.6]; // which share is written, and where on its line

/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The triangle behind the tiles, through the middles of those at its corners. @param {Point[]} corners */
export function outline(corners) {
  const [wide, high] = [0, 1].map((k) => 1 + Math.max(...corners.map((corner) => corner[k])));
  const points = corners.map(([x, y]) => `${x + 0.5},${y + 0.5}`).join(" ");
  const style = `width: calc(var(--tile) * ${wide})`;
  const more = { viewBox: `0 0 ${wide} ${high}`, class: "tl-outline", "aria-hidden": "true", style };
  const ends = corners.map(([x, y]) => svg("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.13, class: "of-value" }));
  return svg("svg", more, svg("polygon", { points }), ...ends);
}

/** Lines from a tile to the corners, as wide as its shares: seen while it is in view. @param {Point[]} corners */
export function pullsTo(corners) {
  const [wide, high] = [0, 1].map((k) => 1 + Math.max(...corners.map((corner) => corner[k])));
  const style = `width: calc(var(--tile) * ${wide})`;
  const more = { viewBox: `0 0 ${wide} ${high}`, class: "tl-pulls of-weights", "aria-hidden": "true", style };
  const each = (/** @type {"line" | "text"} */ tag) => corners.map(() => svg(tag, {}));
  return svg("svg", more, ...each("line"), ...each("text"));
}

/** Let its lines begin where a tile is. @param {Element} pulls @param {Point[]} corners @param {Point} at */
export function pull(pulls, corners, [x, y]) {
  const [lines, texts] = ["line", "text"].map((tag) => pulls.querySelectorAll(tag));
  sharesAt(corners, [x, y]).forEach((share, n) => {
    const [dx, dy] = [corners[n][0] - x, corners[n][1] - y];
    const ends = { x1: x + 0.5, y1: y + 0.5, x2: x + dx + 0.5, y2: y + dy + 0.5 };
    put(lines[n], { ...ends, "stroke-width": WIDEST * share });
    const isSeen = share >= LEAST_SAID && Math.hypot(dx, dy) > FAR;
    put(texts[n], { x: x + SAID_AT * dx + 0.5, y: y + SAID_AT * dy + 0.62, text: isSeen ? share.toFixed(2) : "" });
  });
}

/** How much of each corner lies at a place; outside, about the nearest inside. @param {Point[]} corners */
export function sharesAt([[ax, ay], [bx, by], [cx, cy]], /** @type {Point} */ [x, y]) {
  const all = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  const b = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / all;
  const c = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / all;
  const inside = [1 - b - c, b, c].map((share) => Math.max(0, share));
  const sum = inside[0] + inside[1] + inside[2];
  return inside.map((share) => share / sum);
}

/** @param {View<Tiles, Cell>} view */
export function makeMover(view) {
  let held = /** @type {{ place: Cell, by: Point } | null} */ (null);
  let moves = 0;

  /** Ask for a tile at a place, in tiles. @param {Cell} place @param {Point} to */
  function ask({ panel, row }, to) {
    const { corners, sets, totals } = view.drawings[panel];
    const values = sharesAt(corners, to).map((share) => Number((share * totals[row]).toFixed(3)));
    // While Python is at work ipywidgets keeps what is set, and then tells it the last.
    view.model.set("moved", { type: "move", panel: sets, row, values, turn: Math.random() });
    if (view.kernel.alive()) view.model.save_changes();
  }

  /** Where the mouse is on a board, in tiles. @param {PointerEvent} event @returns {Point} */
  function under({ clientX, clientY }, /** @type {Tiles} */ { plate, board }) {
    const { left, top, width } = plate.getBoundingClientRect();
    return [(clientX - left) * board[0] / width, (clientY - top) * board[0] / width];
  }

  /** @param {Tiles} drawing @param {number} row @returns {Point} */
  const placeOf = ({ name }, row) => {
    const { at } = view.tables[name];
    return [at[3 * row], at[3 * row + 1]];
  };

  view.root.addEventListener("pointerdown", (event) => {
    moves = 0;
    const tile = /** @type {HTMLElement} */ (event.target).closest("button");
    const { panel = "", row } = tile?.dataset ?? {};
    const drawing = view.drawings[panel];
    if (!drawing?.corners.length || event.button) return;
    const [[x, y], [left, top]] = [under(event, drawing), placeOf(drawing, Number(row))];
    held = { place: { panel, row: Number(row), column: 0 }, by: [x - left, y - top] };
    tile?.setPointerCapture(event.pointerId);
  });
  view.root.addEventListener("pointermove", (event) => {
    if (!held) return;
    moves += 1;
    const [x, y] = under(event, view.drawings[held.place.panel]);
    ask(held.place, [x - held.by[0], y - held.by[1]]);
  });
  view.root.addEventListener("lostpointercapture", () => { held = null; });

  return {
    /** Whether what looks like a click was the end of a move. */
    moved: () => moves > 2,
    /** Move a tile by an arrow key. @param {KeyboardEvent} event @param {Cell} place */
    key({ key, shiftKey }, place) {
      const drawing = view.drawings[place.panel];
      if (!drawing.corners.length || !(key in ARROWS)) return false;
      const [[x, y], [dx, dy]] = [placeOf(drawing, place.row), ARROWS[key]];
      const step = shiftKey ? 0.05 : 0.25;
      ask(place, [x + step * dx, y + step * dy]);
      return true;
    },
  };
}
