// PictureView: cells of gray or color, to be read, pinned and painted on.
//
// What is drawn is in PixelGrid, picture.py. A place is a cell; what is shared is its row
// and its column.

import { chip, make, put, stepTo } from "../../static/shared/dom.js";
import { bestIn, number, valueAt } from "../../static/shared/numbers.js";
import { makeView } from "../../static/shared/view.js";
import { makeBrush } from "./brush.js";
import { makeKey } from "./inks.js";

const LIGHTS = ["red", "green", "blue"];
const READ = "Arrow keys: move. Click or Space: pin.";
const PAINT = "Click, drag, Space or Enter: paint. Digits: with that ink. + and −: the next ink. Arrow keys: move.";

const MUCH = 0.4; // of the largest weight: a smaller one has no frame, and is said where one points

/** A share of full light, as Python rounds it. @param {number} share */
const level = (share) => Math.floor(255 * share + 0.5);

/** The color of a cell that holds these numbers. @param {PixelGrid} drawing @param {number[]} numbers */
function colorOf({ rgb, colors, vmax }, numbers) {
  if (colors.length && !rgb) return colors[numbers[0]][1];
  const lights = rgb ? numbers.map((x) => x / vmax) : Array(3).fill(1 - numbers[0] / vmax);
  const [red, green, blue] = lights.map(level);
  return `rgb(${red}, ${green}, ${blue})`;
}

/** What such a cell says. @param {PixelGrid} drawing @param {number[]} numbers */
const textOf = ({ rgb, colors, digits }, numbers) => (
  colors.length && !rgb ? colors[numbers[0]][0] : numbers.map((x) => number(x, digits)).join(" "));

/** The cells of a picture, row by row. @param {PixelGrid} frame */
function makePixels({ name, size: [rows, columns], editable }) {
  const made = (/** @type {number} */ row, /** @type {number} */ column) => make(
    "div", editable ? "tl-pixel tl-edit" : "tl-pixel", { role: "gridcell", tabindex: -1 },
    { "data-panel": name, "data-row": row, "data-column": column }, !editable && { "aria-readonly": true },
  );
  return Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (__, column) => made(row, column)));
}

/** A frame for each patch; without patches none. @param {PixelGrid} frame */
function makePatches({ size: [rows, columns], patch: [high, wide] }) {
  const count = high && wide ? (rows / high) * (columns / wide) : 0;
  return Array.from({ length: count }, () => make("div", "tl-patch", make("b")));
}

/** @param {View<PixelGrid, Cell>} view @returns {Kind<PixelGrid, Cell>} */
function pictureKind(view) {
  const brush = makeBrush(view);

  /** The patch that a cell lies in, and its weight. @param {PixelGrid} drawing @param {Cell} place */
  function patchOf({ name, patch: [high, wide], digits }, { row, column }) {
    if (!high || !wide) return [];
    const [r, c] = [Math.floor(row / high), Math.floor(column / wide)];
    const weights = view.tables[`${name}.weights`];
    const which = chip("patch", `${r + 1}, ${c + 1}`);
    return weights ? [which, chip("its weight", number(valueAt(weights, r, c), digits))] : [which];
  }

  /** The weights over the patches. @param {PixelGrid} drawing */
  function updatePatches({ name, patches, full, roomy, digits }) {
    const weights = view.tables[`${name}.weights`];
    const shares = patches.map((_, n) => Math.max(0, Math.min(1, (weights?.at[n] ?? 0) / full)));
    const most = Math.max(...shares);
    patches.forEach((node, n) => {
      const look = shares[n] < MUCH * most ? "tl-patch tl-little" : "tl-patch";
      put(node, { class: look, style: `--share: ${shares[n]}` });
      put(node.children[0], { text: weights && roomy ? number(weights.at[n], digits) : "" });
    });
  }

  return {
    build(/** @type {PixelGrid} */ frame, { head, foot }) {
      const { title, size: [rows, columns], patch: [, wide], side, editable, tint } = frame;
      const [pixels, patches, key] = [makePixels(frame), makePatches(frame), makeKey(frame)];
      const lines = pixels.map((line) => make("div", "tl-pixel-row", { role: "row" }, ...line));
      const label = `${title}: ${rows} × ${columns} cells${editable ? ", to be painted" : ""}`;
      const look = editable ? "tl-pixels tl-canvas" : "tl-pixels";
      const grid = make("div", look, { role: "grid", "aria-label": label }, ...lines);
      const across = { "aria-hidden": true, style: `--across: ${columns / (wide ?? columns)}; --tint: ${tint}` };
      const over = make("div", "tl-patches", across, ...patches);
      foot.before(make("div", "tl-plate", { style: `--cell: ${side}em` }, grid, over), key?.node ?? "");
      if (editable) head.append(make("span", "tl-quiet", "✎ paint"));
      return { pixels, patches, key };
    },
    update(drawing) {
      const { name, rgb, pixels, was } = drawing;
      const { at } = view.tables[name];
      const [count, columns] = [rgb ? 3 : 1, pixels[0].length];
      pixels.forEach((line, row) => line.forEach((pixel, column) => {
        const from = count * (row * columns + column);
        const [a, b, c] = [from, from + 1, from + 2];
        if (was && was[a] === at[a] && (count === 1 || (was[b] === at[b] && was[c] === at[c]))) return;
        const numbers = [...at.subarray(from, from + count)];
        pixel.style.background = colorOf(drawing, numbers);
        put(pixel, { "aria-label": textOf(drawing, numbers) });
      }));
      drawing.was = at.slice();
      const outlined = view.tables[`${name}.outlined`];
      if (outlined) pixels.flat().forEach((pixel, n) => pixel.classList.toggle("tl-outlined", outlined.at[n] > 0));
      updatePatches(drawing);
    },
    /** The cell with the most ink or light: of those outlined, or of the patch with the most weight. */
    first([frame]) {
      const { name: panel, size, patch: [high = 1, wide = 1] } = /** @type {PixelGrid} */ (frame);
      const { [panel]: numbers, [`${panel}.outlined`]: outlined, [`${panel}.weights`]: weights } = view.tables;
      const top = weights && bestIn(weights, [weights.rows, weights.columns], (x) => x);
      const isMeant = (/** @type {number} */ row, /** @type {number} */ column) => (
        outlined?.at.some(Boolean) ? valueAt(outlined, row, column) > 0
        : !top || (Math.floor(row / high) === top.row && Math.floor(column / wide) === top.column));
      const sum = (/** @type {number[]} */ all) => all.reduce((x, y) => x + y, 0);
      const worth = /** @type {Worth} */ (_, row, column) => (
        isMeant(row, column) ? sum(brush.numbersAt(view.drawings[panel], { row, column })) : -1);
      return { panel, ...bestIn(numbers, size, worth) };
    },
    nodeAt: ({ pixels }, { row, column }) => pixels[row]?.[column] ?? null,
    explain(drawing, place) {
      const { row, column } = /** @type {Cell} */ (place);
      const { rgb, palette, sentence, editable } = drawing;
      const numbers = brush.numbersAt(drawing, { row, column });
      const look = `tl-result of-${palette}`;
      const value = textOf(drawing, numbers);
      const lights = numbers.map((x, n) => chip(LIGHTS[n], number(x, drawing.digits), "", look));
      const said = rgb ? lights : [chip("", value, "", look)];
      const names = { row: row + 1, column: column + 1, value };
      const chips = [...said, ...patchOf(drawing, /** @type {Cell} */ (place))];
      return { sentence, names, chips, hint: editable ? PAINT : READ };
    },
    sharing: ({ pixels }, { row, column }) => pixels[row ?? -1]?.[column ?? -1] ?? [],
    step({ panel, row, column }, key) {
      const [rows, columns] = view.drawings[panel].size;
      const across = stepTo(key, column, columns, "ArrowLeft", "ArrowRight");
      const down = stepTo(key, row, rows, "ArrowUp", "ArrowDown");
      if (across !== null) return { panel, row, column: across };
      return down === null ? null : { panel, row: down, column };
    },
    key: (event, place) => brush.key(event, place),
    click: (event, place) => brush.click(event, place),
  };
}

export default { render: (/** @type {Context} */ context) => makeView(context, pictureKind) };
