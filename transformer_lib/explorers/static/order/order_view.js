// OrderView: the words of a sentence in a row, to be dragged into another order.
//
// Traits: words, value (which word stands at each place). Messages: "reverse",
// "shuffle", "original". The places stay, the words in them change: so the focus is
// never lost, and nothing is rebuilt while a word is on its way.

import { make, setText, stepTo } from "../shared/dom.js";

/** @import { Context } from "../shared/types.js" */

const HOW = "Drag a word, or press Space on it and move it with the arrow keys.";
const HELD = "← → move it, Space puts it down, Escape puts it back.";

/** @param {Context} context */
function render({ model, el }) {
  const root = make("div", "tl-order", "", { role: "group", "aria-label": "order of the words" });
  const row = make("div", "tl-order-row");
  const hint = make("span", "tl-order-hint", HOW);
  hint.id = `tl-order-${Math.random().toString(36).slice(2)}`;
  const said = make("div", "tl-order-said tl-unseen", "", { "aria-live": "polite" });
  const buttons = make("span", "tl-order-buttons");
  buttons.append(...["Reverse", "Shuffle", "Original"].map((name) => {
    const button = make("button", "", name, { type: "button" });
    button.addEventListener("click", () => {
      letGo();
      model.send({ type: name.toLowerCase() });
    });
    return button;
  }));
  root.append(row, buttons, hint, said);
  el.append(root);

  /** @type {HTMLElement[]} */
  let places = [];
  /** @type {number | null} the place of the word in hand */
  let held = null;
  /** @type {number[]} the order to put back */
  let before = [];
  let dragging = false;

  function draw() {
    /** @type {{ words: string[], value: number[] }} */
    const { words, value } = { words: model.get("words"), value: model.get("value") };
    if (places.length !== value.length) {
      held = null;
      row.replaceChildren(...(places = value.map((_, n) => makePlace(n))));
    }
    places.forEach((place, n) => {
      const word = words[value[n]] ?? "";
      setText(place.children[1], word);
      place.title = word;
      place.classList.toggle("tl-held", n === held);
      place.classList.toggle("tl-moved", value[n] !== n);
      place.setAttribute("aria-pressed", String(n === held));
      place.setAttribute("aria-label", `${word}, place ${n}`);
    });
    setText(hint, held === null ? HOW : HELD);
  }

  /** @param {number} n */
  function makePlace(n) {
    const place = make("button", "tl-word", "", { type: "button", "aria-describedby": hint.id });
    place.tabIndex = n ? -1 : 0;
    place.append(make("i", "", String(n)), make("bdi", "tl-cut"));
    return place;
  }

  /** @param {number} n */
  const wordAt = (n) => model.get("words")[model.get("value")[n]];

  /** Give the focus to a place; Tab reaches it alone. @param {number} at */
  function focusOn(at) {
    places.forEach((place, n) => { place.tabIndex = n === at ? 0 : -1; });
    places[at].focus();
  }

  /** @param {number[]} value */
  function set(value) {
    model.set("value", value);
    model.save_changes();
  }

  // ── a word in hand ─────────────────────────────────────────────────────────
  /** @param {number} n */
  function hold(n) {
    held = n;
    before = model.get("value");
    setText(said, `“${wordAt(n)}” held, place ${n} of 0 to ${places.length - 1}. ${HELD}`);
    draw();
  }

  /** @param {number} n */
  function moveTo(n) {
    if (held === null || n === held) return;
    const value = [...model.get("value")];
    value.splice(n, 0, ...value.splice(held, 1));
    held = n;
    focusOn(n);
    set(value);
    setText(said, `“${wordAt(n)}” at place ${n}`);
    draw();
  }

  function letGo(back = false) {
    if (held === null) return;
    if (back) set(before);
    setText(said, back ? "Put back: the order is as it was." : `“${wordAt(held)}” put down at place ${held}`);
    held = null;
    dragging = false;
    draw();
  }

  /** The place of a word that an event came to, or -1. @param {Event} event */
  const placeOf = ({ target }) => places.findIndex((place) => target instanceof Node && place.contains(target));

  // ── keyboard ───────────────────────────────────────────────────────────────
  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const at = placeOf(event);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = stepTo(event.key, at, places.length, ["ArrowLeft"], ["ArrowRight"]);
    if (to !== null) (held === null ? focusOn : moveTo)(to);
    else if ([" ", "Enter"].includes(event.key)) (held === null ? hold(at) : letGo());
    else if (event.key === "Escape") letGo(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {FocusEvent} event */
  function onBlur({ relatedTarget }) {
    const inside = relatedTarget instanceof Node && row.contains(relatedTarget);
    if (!dragging && !inside) letGo();
  }

  // ── mouse and finger ───────────────────────────────────────────────────────
  /** @param {PointerEvent} event */
  function onDown(event) {
    const at = placeOf(event);
    if (at < 0 || event.button) return;
    event.preventDefault();
    letGo();
    focusOn(at);
    dragging = true;
    row.setPointerCapture(event.pointerId);
    hold(at);
  }

  /** @param {PointerEvent} event */
  function onMove({ clientX: x, clientY: y }) {
    if (!dragging || held === null) return;
    const boxes = places.map((place) => place.getBoundingClientRect());
    const over = boxes.findIndex((b) => y >= b.top && y <= b.bottom && x >= b.left && x <= b.right);
    if (over < 0 || over === held) return;
    const [box, mine] = [boxes[over], boxes[held]];
    const slim = mine.width < box.width && mine.top === box.top; // else it would jump back
    const far = over > held ? x > box.right - mine.width : x < box.left + mine.width;
    if (far || !slim) moveTo(over);
  }

  row.addEventListener("keydown", onKey);
  row.addEventListener("focusout", onBlur);
  row.addEventListener("pointerdown", onDown);
  row.addEventListener("pointermove", onMove);
  row.addEventListener("pointerup", () => dragging && letGo());
  row.addEventListener("pointercancel", () => letGo(true));
  model.on("change", draw);
  draw();
  return () => model.off("change", draw);
}

export default { render };
