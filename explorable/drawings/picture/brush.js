// Painting: by click, drag and keys. Python is told every cell that it has not answered
// for, in one message; until it has, a cell is marked as wet and shows what it was.

/** @param {View<PixelGrid, Cell>} view */
export function makeBrush(view) {
  const { model, root, kernel } = view;
  const own = Math.random().toString(36).slice(2); // another page of this notebook paints too
  const wet = /** @type {Map<string, Wet>} */ (new Map());
  let messages = 0;
  let stroke = /** @type {{ panel: string, ink: Ink, last: Spot | null } | null} */ (null);

  /** The numbers that a cell holds now. @param {PixelGrid} drawing @param {Pick<Cell, "row" | "column">} spot */
  function numbersAt({ name, rgb, size: [, columns] }, { row, column }) {
    const count = rgb ? 3 : 1;
    const from = count * (row * columns + column);
    return [...view.tables[name].at.subarray(from, from + count)];
  }

  /** Let cells be as Python says, those that it has answered for. @param {(one: Wet) => boolean} isDone */
  function dry(isDone) {
    for (const [key, one] of wet) {
      if (!isDone(one)) continue;
      wet.delete(key);
      view.drawings[one.panel]?.pixels[one.row]?.[one.column]?.classList.remove("tl-wet");
    }
  }

  /** Paint cells of a picture, and tell Python of all that are wet. @param {string} panel @param {Cell[]} cells */
  function paint(panel, cells, /** @type {Ink} */ { numbers }) {
    const drawing = view.drawings[panel];
    messages += 1;
    for (const cell of cells) {
      wet.set(`${cell.row} ${cell.column} ${panel}`, { ...cell, numbers, message: messages });
      drawing.pixels[cell.row][cell.column].classList.add("tl-wet");
    }
    const strokes = /** @type {Record<string, number[][]>} */ ({});
    for (const { panel: name, row, column, numbers: all } of wet.values()) {
      strokes[name] ??= [];
      strokes[name].push(...all.map((x, k) => [row, column * all.length + k, x]));
    }
    // While Python is at work ipywidgets keeps what is set, and then tells it the last.
    model.set("moved", { type: "paint", strokes, turn: `${own} ${messages}` });
    if (kernel.alive()) model.save_changes();
    else dry(() => true);
  }

  model.on("msg:custom", (/** @type {{ type: string, turn: string }} */ { type, turn }) => {
    const [whose, upTo] = type === "painted" ? turn.split(" ") : [];
    if (whose === own) dry(({ message }) => message <= Number(upTo));
  });

  const inkOf = (/** @type {PixelGrid} */ { inks, key }) => inks[key?.chosen() ?? 0];

  // ── with the mouse, a pen or a finger ──────────────────────────────────────
  /** The cell under the pointer, if it is on the picture. @param {PointerEvent} event @param {string} panel */
  function under({ clientX, clientY }, panel) {
    const { pixels, size: [rows, columns] } = view.drawings[panel];
    const first = pixels[0][0].getBoundingClientRect();
    const last = pixels[rows - 1][columns - 1].getBoundingClientRect();
    const column = Math.floor(columns * (clientX - first.left) / (last.right - first.left));
    const row = Math.floor(rows * (clientY - first.top) / (last.bottom - first.top));
    return pixels[row]?.[column] ? { panel, row, column } : null;
  }

  /** The cells from one to another, without the first. @param {Spot | null} from @param {Cell} to */
  function between(from, to) {
    const [row, column] = [from?.row ?? to.row, from?.column ?? to.column];
    const [down, across] = [to.row - row, to.column - column];
    const steps = Math.max(1, Math.abs(down), Math.abs(across));
    return Array.from({ length: steps }, (_, n) => {
      const share = (n + 1) / steps;
      return { ...to, row: Math.round(row + share * down), column: Math.round(column + share * across) };
    });
  }

  /** Go on with the stroke to where the pointer is. @param {PointerEvent} event */
  function drawTo(event) {
    if (!stroke || !view.drawings[stroke.panel]) return;
    const { panel, ink } = stroke;
    const way = /** @type {Cell[]} */ ([]);
    for (const one of event.getCoalescedEvents?.().concat(event) ?? [event]) {
      const to = under(one, panel);
      const { row = -1, column = -1 } = stroke.last ?? {};
      if (to && !(to.row === row && to.column === column)) way.push(...between(stroke.last, to));
      stroke.last = to;
    }
    if (!way.length) return;
    view.hover(way[way.length - 1]);
    paint(panel, way, ink);
  }

  root.addEventListener("pointerdown", (event) => {
    const pixel = /** @type {HTMLElement} */ (event.target).closest(".tl-pixel.tl-edit");
    const { panel = "", row, column } = /** @type {HTMLElement | null} */ (pixel)?.dataset ?? {};
    if (!pixel || event.button) return;
    stroke = { panel, ink: inkOf(view.drawings[panel]), last: null };
    pixel.closest(".tl-pixels")?.setPointerCapture(event.pointerId);
    view.go({ panel, row: Number(row), column: Number(column) });
    drawTo(event);
  });
  root.addEventListener("pointermove", drawTo);
  root.addEventListener("lostpointercapture", () => { stroke = null; });

  // ── with the keyboard ──────────────────────────────────────────────────────
  /** The next ink above or below what a cell holds. @param {PixelGrid} drawing @param {Cell} place */
  function neighbor(drawing, place, /** @type {number} */ way) {
    const { inks, rgb } = drawing;
    const now = numbersAt(drawing, place);
    const at = inks.findIndex(({ numbers }) => numbers.every((x, k) => x === now[k]));
    if (at >= 0 || rgb) return inks[Math.max(0, Math.min(inks.length - 1, at + way))];
    return way > 0 ? inks.find(({ numbers: [x] }) => x > now[0]) : inks.findLast(({ numbers: [x] }) => x < now[0]);
  }

  /** What a key paints with; null where it does not paint. @param {KeyboardEvent} event @param {Cell} place */
  function inkFor({ key, shiftKey }, place) {
    const drawing = view.drawings[place.panel];
    if ([" ", "Enter"].includes(key)) return shiftKey ? null : inkOf(drawing);
    if (["+", "="].includes(key)) return neighbor(drawing, place, 1);
    if (["-", "−", "_"].includes(key)) return neighbor(drawing, place, -1);
    if (["Delete", "Backspace"].includes(key)) return drawing.inks[0];
    return /^[0-9]$/.test(key) ? drawing.inks[Number(key)] : null;
  }

  return {
    numbersAt,
    key(/** @type {KeyboardEvent} */ event, /** @type {Cell} */ place) {
      if (!view.drawings[place.panel].editable) return false;
      const ink = inkFor(event, place);
      if (ink) paint(place.panel, [place], ink);
      return ink !== null;
    },
    /** A click that no pointer made, such as a screen reader's, paints too. */
    click(/** @type {MouseEvent} */ { detail }, /** @type {Cell | null} */ place) {
      const drawing = place && view.drawings[place.panel];
      if (!place || !drawing?.editable) return false;
      if (!detail) paint(place.panel, [place], inkOf(drawing));
      return true;
    },
  };
}
