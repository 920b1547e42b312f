// What all views have in common: numbers arrive and are drawn in place; a part of the
// picture is pointed at, reached by keys, pinned, explained, and shown by other views.
// Traits: those of View in views.py. Nothing is computed but where on the page a number
// lies.

import { keepKey, make, setText } from "./dom.js";
import { STOPPED, makeKernelWire } from "./kernel.js";
import { decode } from "./numbers.js";
import { makeBox, makeStage } from "./stage.js";

const PINNED = "Pinned: it stays while you move other things. Escape lets go.";
const DRAWN = ["data", "layout_of", "live", "panels", "groups", "message"];

/** Whether two places are the same part of the same drawing. @param {Place | null} a @param {Place | null} b */
const samePlace = (a, b) => a?.panel === b?.panel && a?.row === b?.row && a?.column === b?.column;

/**
 * @template {Drawing} D
 * @template {Place} P
 * @param {Context} context
 * @param {(view: View<D, P>) => Kind<D, P>} define what the kind of view does: types.d.ts
 * @returns {() => void} the clean-up
 */
export function makeView({ model, el }, define) {
  const stage = makeStage({ model, el });
  const { root, picture, floating } = stage;
  const kernel = makeKernelWire(model, () => stage.say(STOPPED));
  const home = () => root.closest(".tl-explorer");
  let [planned, told] = ["", ""];
  let shown = /** @type {unknown[]} */ ([]);
  let marked = /** @type {[Element, string][]} */ ([]);
  let also = /** @type {Element[]} */ ([]);

  /** @type {View<D, P>} */
  const view = {
    model, root, kernel, tables: {}, drawings: {}, focus: null, also: null,
    pin() {
      const pin = model.get("pin");
      return pin && kind.nodeAt(pin) ? pin : null;
    },
    hold(place) {
      model.set("pin", place);
      if (kernel.alive()) model.save_changes();
      if (place) tell(place);
      explain();
    },
    turn: (place) => view.hold(samePlace(place, view.pin()) ? null : place),
    look(place) {
      if (!place || samePlace(place, view.focus)) return;
      view.focus = place;
      if (view.pin()) return;
      tell(place);
      explain();
    },
    rest() {
      const place = view.focus;
      view.focus = view.also = null;
      if (!place || view.pin()) return;
      share({ shares: view.drawings[place.panel].shares, row: null, column: null });
      explain();
    },
    go(place) {
      const [drawing, node] = [view.drawings[place.panel], kind.nodeAt(place)];
      if (!node) return;
      if (drawing.stop) drawing.stop.tabIndex = -1;
      drawing.stop = node;
      node.tabIndex = 0;
      node.focus();
      view.look(place);
    },
    mark(node, name) {
      if (node) marked.push([node, name]);
      node?.classList.add(name);
    },
  };
  /** @type {Kind<D, P>} */
  const kind = define(view);
  const planOf = (/** @type {Frame} */ frame) => JSON.stringify(frame, kind.plan);
  const plan = () => JSON.stringify([model.get("panels").map(planOf), model.get("groups")]);

  // ── drawing: built once for a frame, changed in place ──────────────────────
  function build() {
    const before = view.drawings;
    view.drawings = {};
    planned = plan();
    kind.cleared?.();
    const frames = /** @type {Frame[]} */ (model.get("panels"));
    picture.replaceChildren(...model.get("groups").map((/** @type {string[]} */ names) => {
      const group = make("div", "tl-group");
      group.append(...frames.filter(({ name }) => names.includes(name)).map((frame) => buildOne(frame, before)));
      return group;
    }));
  }

  /** The box of a drawing: the one it has, if its frame is as before. @param {Frame} frame */
  function buildOne(frame, /** @type {Record<string, D>} */ before) {
    const as = planOf(frame);
    let drawing = before[frame.name];
    if (drawing?.planned !== as) {
      const box = makeBox(frame);
      drawing = /** @type {any} */ ({ ...frame, ...box, ...kind.build(frame, box), planned: as });
      if (drawing.stop) drawing.stop.tabIndex = 0;
    }
    view.drawings[frame.name] = drawing;
    return drawing.box;
  }

  function draw() {
    if (!model.get("layout_of").length) return;
    const now = DRAWN.map((trait) => model.get(trait));
    if (now.some((value, n) => value !== shown[n])) redraw();
    shown = now;
    explain();
  }

  function redraw() {
    view.tables = decode(model);
    if (plan() !== planned) build();
    stage.say(kernel.alive() ? model.get("message") : STOPPED);
    for (const frame of model.get("panels")) {
      const drawing = Object.assign(view.drawings[frame.name], model.get("live")[frame.name]);
      kind.update(drawing, frame);
      setText(drawing.heading, drawing.formula);
      setText(drawing.foot, drawing.note);
    }
    if (view.focus && !kind.nodeAt(view.focus)) view.focus = null;
    view.focus ??= kind.first?.() ?? null;
    showAlso();
  }

  // ── explaining: the place in view, pinned or pointed at ────────────────────
  function explain() {
    const pin = view.pin();
    const place = pin ?? view.focus;
    const drawing = place ? view.drawings[place.panel] : Object.values(view.drawings)[0];
    for (const [node, name] of marked) node.classList.remove(name);
    marked = [];
    root.querySelector("[data-panel][aria-pressed=true]")?.setAttribute("aria-pressed", "false");
    if (!drawing) return;
    const lit = place ? kind.lit?.(place) ?? [kind.nodeAt(place)] : [];
    for (const node of lit) view.mark(node, "tl-now");
    if (pin) view.mark(lit[0], "tl-pinned");
    const button = pin && kind.nodeAt(pin);
    if (button?.ariaPressed) button.ariaPressed = "true";
    const said = kind.explain(drawing, place);
    stage.explain(pin ? { ...said, hint: PINNED } : said);
  }

  /** Mark what shows the place that another drawing has in view. */
  function showAlso() {
    for (const node of also) node.classList.remove("tl-also");
    const shared = view.also;
    also = [];
    if (!shared?.shares || (shared.row ?? shared.column) === null) return;
    const drawings = Object.values(view.drawings).filter(({ shares }) => shares === shared.shares);
    also = drawings.flatMap((drawing) => kind.sharing?.(drawing, shared) ?? []);
    for (const node of also) node.classList.add("tl-also");
  }

  function tell(/** @type {P} */ place) {
    const { row, column } = kind.shared?.(place) ?? place;
    share({ shares: view.drawings[place.panel].shares, row, column });
  }

  /** A place that this view's and other views' drawings show too. @param {Shared} shared */
  function share(shared) {
    view.also = shared;
    showAlso();
    const text = JSON.stringify(shared);
    if (!shared.shares || text === told) return;
    told = text;
    const detail = { from: root, home: home(), ...shared };
    document.dispatchEvent(new CustomEvent("tl-focus", { detail }));
  }

  // ── moving: mouse and keyboard alike ───────────────────────────────────────
  const placeOf = (/** @type {Event} */ { target }) => kind.placeOf(/** @type {HTMLElement} */ (target));

  function onReach(/** @type {Event} */ event) {
    view.look(placeOf(event));
    floating.reach(/** @type {HTMLElement} */ (event.target));
  }

  function onKey(/** @type {KeyboardEvent} */ event) {
    keepKey(event);
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
    else if (event.key === "Escape") view.hold(null);
    else if (![" ", "Enter"].includes(event.key) || event.shiftKey) return false;
    else if (event.target instanceof HTMLButtonElement) return false; // which is clicked
    else view.turn(place);
    return true;
  }

  function onClick(/** @type {MouseEvent} */ event) {
    const place = placeOf(event);
    if (kind.click?.(event, place) || !place) return;
    view.go(place);
    view.turn(place);
  }

  function onShared(/** @type {any} */ { detail }) {
    if (detail.from === root || !home() || detail.home !== home()) return;
    told = "";
    view.also = detail;
    showAlso();
    kind.heard?.(detail);
    if (kind.heard) explain();
  }

  for (const name of ["pointerover", "focusin"]) root.addEventListener(name, onReach);
  for (const name of ["pointerleave", "focusout"]) root.addEventListener(name, floating.leave);
  root.addEventListener("keydown", onKey);
  root.addEventListener("click", onClick);
  document.addEventListener("tl-focus", onShared);
  model.on("change", draw);
  draw();
  return () => {
    document.removeEventListener("tl-focus", onShared);
    model.off("change", draw);
    kernel.stop();
    floating.stop();
    kind.stop?.();
  };
}
