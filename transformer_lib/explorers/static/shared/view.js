// What all views have in common: numbers arrive and are drawn in place; a part of the
// picture is pointed at, reached by keys, pinned, explained, and shown by other views.
// Traits: those of View in views.py. Nothing is computed but where on the page a number
// lies.

import { keepKey, make, setText } from "./dom.js";
import { STOPPED, makeKernelWire } from "./kernel.js";
import { decode } from "./numbers.js";
import { makeBox, makeStage } from "./stage.js";

/** @import { Context, Drawing, Frame, Kind, Place, Shared, View } from "./types.js" */

const PINNED = "Pinned: it stays while you move other things. Escape lets go.";
const DATA = ["data", "layout_of", "live", "panels", "groups", "message"];

/**
 * Whether two places are one: the same row and column of the same drawing.
 * @param {Place | null} a
 * @param {Place | null} b
 */
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
  let planned = "", told = "";
  /** @type {unknown[]} */
  let shown = [];
  /** @type {[Element, string][]} */
  const marked = [];
  /** @type {Element[]} */
  let also = [];

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
      const drawing = view.drawings[place.panel];
      const node = kind.nodeAt(place);
      if (!node) return;
      if (drawing.stop) drawing.stop.tabIndex = -1;
      drawing.stop = node;
      node.tabIndex = 0;
      node.focus();
      view.look(place);
    },
    mark(node, name) {
      if (!node) return;
      marked.push([node, name]);
      node.classList.add(name);
    },
  };
  /** @type {Kind<D, P>} */
  const kind = define(view);
  const plan = kind.plan ?? (() => JSON.stringify([model.get("panels"), model.get("groups")]));

  // ── building: once for a set of frames ─────────────────────────────────────
  function build() {
    view.drawings = {};
    planned = plan();
    kind.cleared?.();
    /** @type {Frame[]} */
    const frames = model.get("panels");
    picture.replaceChildren(...model.get("groups").map((/** @type {string[]} */ names) => {
      const group = make("div", "tl-group");
      group.append(...frames.filter(({ name }) => names.includes(name)).map(buildOne));
      return group;
    }));
  }

  /** @param {Frame} frame */
  function buildOne(frame) {
    const box = makeBox(frame);
    const drawing = { ...frame, ...box, ...kind.build(frame, box) };
    view.drawings[frame.name] = /** @type {any} */ (drawing);
    return box.box;
  }

  // ── drawing: in place, whenever a number changes ───────────────────────────
  function draw() {
    if (!model.get("layout_of").length) return;
    const now = DATA.map((trait) => model.get(trait));
    if (now.some((value, n) => value !== shown[n])) redraw(now);
    explain();
  }

  /** @param {unknown[]} now the values of DATA */
  function redraw(now) {
    shown = now;
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
    view.focus ??= kind.first();
    showAlso();
  }

  // ── explaining: the place in view, pinned or pointed at ────────────────────
  function explain() {
    const pin = view.pin();
    const place = pin ?? view.focus;
    const drawing = place ? view.drawings[place.panel] : Object.values(view.drawings)[0];
    for (const [node, name] of marked.splice(0)) node.classList.remove(name);
    root.querySelector("[aria-pressed=true][data-panel]")?.setAttribute("aria-pressed", "false");
    if (!drawing) return;
    const lit = place ? kind.lit?.(place) ?? [kind.nodeAt(place)] : [];
    for (const node of lit) view.mark(node, "tl-now");
    if (pin) view.mark(lit[0], "tl-pinned");
    if (pin) pressed(kind.nodeAt(pin));
    const { sentence, names, chips = [], hint } = kind.explain(drawing, place);
    stage.explain(sentence, names, chips, pin ? PINNED : hint);
  }

  /** @param {Element | undefined} node */
  const pressed = (node) => node?.hasAttribute("aria-pressed") && node.setAttribute("aria-pressed", "true");

  /** Mark what shows the place that another drawing has in view. */
  function showAlso() {
    for (const node of also) node.classList.remove("tl-also");
    const shared = view.also;
    const some = shared?.shares && (shared.row !== null || shared.column !== null);
    also = some ? kind.sharing?.(shared) ?? [] : [];
    for (const node of also) node.classList.add("tl-also");
  }

  /** @param {P} place */
  function tell(place) {
    const { row, column } = kind.shared?.(place) ?? place;
    share({ shares: view.drawings[place.panel].shares, row, column });
  }

  /** @param {Shared} shared a place that this view's and other views' drawings show too */
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
  /** @param {Event} event */
  function onReach({ target }) {
    const node = /** @type {HTMLElement} */ (target);
    view.look(kind.placeOf(node));
    floating.reach(node);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    keepKey(event);
    const node = /** @type {HTMLElement} */ (event.target);
    const place = kind.placeOf(node);
    if (!place || event.ctrlKey || event.metaKey || event.altKey || !act(event, place)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {P} place
   * @returns {boolean} whether the key means anything here
   */
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

  /** @param {MouseEvent} event */
  function onClick(event) {
    const place = kind.placeOf(/** @type {HTMLElement} */ (event.target));
    if (kind.click?.(event, place) || !place) return;
    view.go(place);
    view.turn(place);
  }

  /** @param {Event} event */
  function onShared(event) {
    if (!(event instanceof CustomEvent)) return;
    const { detail } = event;
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
