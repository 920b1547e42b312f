// What all views have in common: numbers arrive and are drawn in place; a part of the
// picture is pointed at, reached by keys, pinned, explained, and shown by other views.
// Traits: those of View in views.py. Nothing is computed but where on the page a number
// lies. A node that shows a place has it in data-panel, data-row and data-column.

import { make, setText } from "./dom.js";
import { makeFlow } from "./flow.js";
import { makeKernelWire } from "./kernel.js";
import { decode } from "./numbers.js";
import { makeBox, makeStage } from "./stage.js";

const MOST_EASED = 200; // parts of a drawing whose change is eased
const PINNED = "Pinned: it stays while you move other things. Escape lets go.";

/** @type {(a: Place | null, b: Place | null) => boolean} */
const samePlace = (a, b) => a?.panel === b?.panel && a?.row === b?.row && a?.column === b?.column;

/** What takes the focus in a place. @param {Element} node */
const seat = (node) => /** @type {HTMLElement} */ (node.querySelector("button") ?? node);

/**
 * @template {Drawing} D
 * @template {Place} P
 * @param {Context} context
 * @param {(view: View<D, P>) => Kind<D, P>} define what the kind of view does: types.d.ts
 */
export function makeView(context, define) {
  const { model, signal } = context;
  const { root, picture, lines, say, show, speak, reserve } = makeStage(context);
  const kernel = makeKernelWire(context, () => {
    sayHow();
    if (!kernel.alive()) kind.unheard?.(kernel.trouble());
  });
  const flow = makeFlow(root, picture, signal);
  const sayHow = () => say(kernel.trouble() || model.get("message"));
  const marked = /** @type {Record<string, (Element | null)[]>} */ ({});
  let shown = /** @type {unknown[]} */ ([]);
  let planned = "";

  /** @type {View<D, P>} */
  const view = {
    model, root, kernel, tables: {}, drawings: {}, focus: null, also: null,
    pinned: () => (nodeAt(model.get("pin")) ? model.get("pin") : null),
    pin(place) {
      model.set("pin", place);
      if (kernel.alive()) model.save_changes();
      if (place) {
        tell(place);
        speak(true);
      }
      explain();
    },
    togglePin: (place) => view.pin(samePlace(place, view.pinned()) ? null : place),
    explain: () => explain(),
    hover(place) {
      if (!place) return;
      speak(false);
      if (samePlace(place, view.focus)) return;
      view.focus = place;
      if (view.pinned()) return;
      tell(place);
      explain();
    },
    clear() {
      const place = view.focus;
      view.focus = view.also = null;
      if (!place || view.pinned()) return;
      share({ shares: view.drawings[place.panel].shares, row: null, column: null });
      explain();
    },
    go(place) {
      const node = nodeAt(place);
      if (!node) return;
      view.drawings[place.panel].box.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
      seat(node).tabIndex = 0;
      seat(node).focus();
      view.hover(place);
    },
  };
  /** @type {Kind<D, P>} */
  const kind = define(view);

  /** The node that shows a place, if that is drawn. @param {P | null} place @returns {HTMLElement | null} */
  function nodeAt(place) {
    const drawing = place && view.drawings[place.panel];
    if (!drawing) return null;
    if (kind.nodeAt) return kind.nodeAt(drawing, place);
    const has = [["row", place.row], ["column", place.column]].map(([name, n]) => (
      n === null ? `:not([data-${name}])` : `[data-${name}="${n}"]`));
    return drawing.box.querySelector(`[data-panel]${has.join("")}`);
  }

  // ── drawing: built once for a frame, changed in place ──────────────────────
  function build(/** @type {Frame[]} */ frames) {
    const plans = frames.map((frame) => JSON.stringify(frame, kind.plan));
    const plan = JSON.stringify([plans, model.get("groups")]);
    if (plan === planned) return;
    planned = plan;
    const { drawings: before, focus } = view;
    view.focus = null; // its node may go now, and tell so
    view.drawings = Object.fromEntries(frames.map((frame, n) => {
      const same = before[frame.name]?.plan === plans[n];
      return [frame.name, same ? before[frame.name] : buildOne(frame, plans[n])];
    }));
    picture.replaceChildren(...model.get("groups").map((/** @type {string[]} */ names) => (
      make("div", "tl-group", ...names.map((name) => view.drawings[name].box)))));
    root.dispatchEvent(new CustomEvent("tl-built", { bubbles: true }));
    if (!frames.length) lines.classList.remove("tl-speaks");
    view.focus = kind.first ? focus : null;
  }

  /** @returns {D} */
  function buildOne(/** @type {Frame} */ frame, /** @type {string} */ plan) {
    const box = makeBox(frame);
    const drawing = /** @type {any} */ ({ ...frame, ...box, ...kind.build(frame, box), plan, seen: [] });
    const parts = box.box.querySelectorAll("[data-panel], .tl-bar *, path");
    box.box.classList.toggle("tl-eased", parts.length <= MOST_EASED);
    const first = box.box.querySelector("[data-panel]");
    if (first) seat(first).tabIndex = 0;
    return drawing;
  }

  function draw() {
    const frames = /** @type {Frame[]} */ (model.get("panels"));
    if (!frames.length && !shown.length) return; // nothing is drawn yet
    if (frames !== shown[0] || model.get("groups") !== shown[1]) build(frames);
    shown = [frames, model.get("groups")];
    view.tables = decode(model, view.tables);
    frames.forEach(update);
    reserve(Object.values(view.drawings));
    flow.connect(view.drawings);
    sayHow();
    if (!nodeAt(view.focus)) view.focus = frames.length && kind.first ? kind.first(frames) : null;
    showAlso();
    explain();
  }

  /** Change a drawing where what it shows has changed; what has not costs nothing. @param {Frame} frame */
  function update(frame) {
    const [drawing, live] = [view.drawings[frame.name], model.get("live")[frame.name]];
    const isOwn = (/** @type {string} */ name) => `${name}.`.startsWith(`${frame.name}.`);
    const own = [...Object.keys(view.tables).filter(isOwn), ...kind.reads?.(frame) ?? []];
    const seen = [frame, JSON.stringify(live), ...own.map((name) => view.tables[name])];
    const same = seen.length === drawing.seen.length && seen.every((x, n) => x === drawing.seen[n]);
    if (same && !drawing.tracked) return;
    kind.update(Object.assign(drawing, frame, live, { seen }));
    setText(drawing.heading, drawing.formula);
    setText(drawing.foot, drawing.note);
  }

  // ── explaining: the place in view, pinned or pointed at ────────────────────
  function explain() {
    const pin = view.pinned();
    const place = pin ?? view.focus;
    const drawing = place ? view.drawings[place.panel] : Object.values(view.drawings)[0];
    const said = drawing && kind.explain(drawing, place);
    if (said) show(pin ? { ...said, hint: PINNED } : said);
    lines.classList.toggle("tl-holds", Boolean(pin));
    lines.classList.toggle("tl-silent", Boolean((nodeAt(place) ?? drawing?.box)?.closest(".tl-veiled")));
    mark("tl-now", said?.lit ?? [nodeAt(place)]);
    mark("tl-pinned", [nodeAt(pin)]);
    mark("tl-operand", said?.operands ?? []);
    flow.trace(nodeAt(place), said?.operands ?? []);
  }

  /** Let these nodes have a class, and no others. @param {string} name @param {(Element | null)[]} nodes */
  function mark(name, nodes) {
    const had = marked[name] ?? [];
    for (const node of new Set([...had, ...nodes])) {
      const on = nodes.includes(node);
      if (!node || on === had.includes(node)) continue;
      node.classList.toggle(name, on);
      if (name === "tl-pinned" && seat(node).ariaPressed) seat(node).ariaPressed = String(on);
    }
    marked[name] = nodes;
  }

  /** Mark what shows the place that another drawing has in view. */
  function showAlso() {
    const { shares = "", row = null, column = null, columns } = view.also ?? {};
    const all = shares && (row ?? column) !== null ? Object.values(view.drawings) : [];
    const drawings = all.filter((drawing) => drawing.shares === shares);
    mark("tl-also", drawings.flatMap((drawing) => kind.sharing?.(drawing, { row, column, columns }) ?? []));
  }

  function tell(/** @type {P} */ place) {
    const { row, column, columns } = /** @type {Shared} */ (kind.shared?.(place) ?? place);
    share({ shares: view.drawings[place.panel].shares, row, column, columns });
  }

  /** A place that this view's and other views' drawings show too. @param {Shared} shared */
  function share(shared) {
    view.also = shared;
    showAlso();
    if (shared.shares) root.dispatchEvent(new CustomEvent("tl-focus", { detail: shared, bubbles: true }));
  }

  function onShared(/** @type {any} */ { target, detail }) {
    if (target === root || !root.closest(".tl-explorer")?.contains(target)) return;
    view.also = detail;
    showAlso();
    kind.heard?.(detail);
    explain();
  }

  // ── moving: mouse and keyboard alike ───────────────────────────────────────
  /** The place that an event came to; an editor in it is none. @param {Event} event @returns {P | null} */
  function placeOf({ target }) {
    const node = /** @type {HTMLElement} */ (target).closest(".tl-editor, [data-panel]");
    const { panel, row, column } = /** @type {HTMLElement | null} */ (node)?.dataset ?? {};
    const [r, c] = [row, column].map((n) => (n === undefined ? null : Number(n)));
    return panel ? /** @type {P} */ ({ panel, row: r, column: c }) : null;
  }

  const onReach = (/** @type {Event} */ event) => view.hover(placeOf(event));

  function onKey(/** @type {KeyboardEvent} */ event) {
    const place = placeOf(event);
    if (!place || event.ctrlKey || event.metaKey || event.altKey || !act(event, place)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Do what a key means here, if anything. @param {KeyboardEvent} event @param {P} place */
  function act(event, place) {
    if (kind.key?.(event, place)) return true;
    const to = kind.step(place, event.key);
    if (to) view.go(to);
    else if (event.key === "Escape" && view.pinned()) view.pin(null);
    else if (![" ", "Enter"].includes(event.key) || event.shiftKey) return false;
    else if (event.target instanceof HTMLButtonElement) return false; // which is clicked
    else view.togglePin(place);
    return true;
  }

  function onClick(/** @type {MouseEvent} */ event) {
    const place = placeOf(event);
    if (kind.click?.(event, place) || !place) return;
    view.go(place);
    view.togglePin(place);
  }

  for (const name of ["pointerover", "focusin"]) root.addEventListener(name, onReach);
  root.addEventListener("keydown", onKey);
  root.addEventListener("click", onClick);
  document.addEventListener("tl-focus", onShared, { signal });
  document.addEventListener("tl-cover", explain, { signal });
  model.on("change", draw);
  draw();
}
