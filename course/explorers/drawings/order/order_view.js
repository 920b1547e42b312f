// OrderView: the words of a sentence in a row, to be dragged into another order.
//
// Traits: words, value (which word stands at each place). Messages: "reverse",
// "shuffle", "original". The places stay, the words in them change: so the focus is
// never lost, and nothing is rebuilt while a word is on its way.

import { make, makeButton, put, setText, stepTo } from "explorable/static/shared/dom.js";

const HOW = "Drag a word, or press Space on it, then ← →.";
const HELD = "← → move it, Space puts it down, Escape puts it back.";

function render(/** @type {Context} */ { model, el }) {
  const id = `tl-order-${Math.random().toString(36).slice(2)}`;
  const row = make("div", "tl-order-row");
  const hint = make("span", "tl-order-hint tl-quiet", HOW, { id });
  const said = make("div", "tl-order-said tl-unseen", { "aria-live": "polite" });
  const buttons = make("span", "tl-order-buttons", ...["Reverse", "Shuffle", "Original"].map((name) => (
    makeButton(name, () => {
      letGo();
      model.send({ type: name.toLowerCase() });
    }))));
  const named = { role: "group", "aria-label": "order of the words" };
  el.append(make("div", "tl-order", named, row, buttons, hint, said));

  let places = /** @type {HTMLElement[]} */ ([]);
  let held = /** @type {number | null} */ (null); // the place of the word in hand
  let before = /** @type {number[]} */ ([]); // the order to put back
  const order = () => /** @type {number[]} */ (model.get("value"));
  const wordAt = (/** @type {number} */ n) => String(model.get("words")[order()[n]] ?? "");

  function draw() {
    if (places.length !== order().length) {
      held = null;
      row.replaceChildren(...(places = order().map((_, n) => makePlace(n))));
    }
    places.forEach((place, n) => {
      const [word, pressed] = [wordAt(n), n === held];
      setText(place.children[1], word);
      put(place, { title: word, "aria-label": `${word}, position ${n}`, "aria-pressed": pressed });
      place.classList.toggle("tl-moved", order()[n] !== n);
    });
    setText(hint, held === null ? HOW : HELD);
  }

  const makePlace = (/** @type {number} */ n) => make(
    "button", "tl-word", { "aria-describedby": id, tabindex: n ? -1 : 0 },
    make("i", "tl-quiet", String(n)), make("bdi", "tl-cut"),
  );

  /** Give the focus to a place; Tab reaches it alone. @param {number} at */
  function focusOn(at) {
    places.forEach((place, n) => { place.tabIndex = n === at ? 0 : -1; });
    places[at].focus();
  }

  /** @param {number[]} value @param {string} words what is said of it */
  function set(value, words) {
    model.set("value", value);
    model.save_changes();
    setText(said, words);
  }

  // ── a word in hand ─────────────────────────────────────────────────────────
  function hold(/** @type {number} */ n) {
    held = n;
    before = order();
    setText(said, `“${wordAt(n)}” held, position ${n} of 0 to ${places.length - 1}. ${HELD}`);
    draw();
  }

  function moveTo(/** @type {number} */ n) {
    if (held === null || n === held) return;
    const [word, value] = [wordAt(held), [...order()]];
    value.splice(n, 0, ...value.splice(held, 1));
    held = n;
    focusOn(n);
    set(value, `“${word}” at position ${n}`);
    draw();
  }

  function letGo(back = false) {
    if (held === null) return;
    if (back) set(before, "Put back: the order is as it was.");
    else setText(said, `“${wordAt(held)}” put down at position ${held}`);
    held = null;
    draw();
  }

  // ── keyboard, mouse and finger ─────────────────────────────────────────────
  /** The place of a word that an event came to, or -1. @param {Event} event */
  const placeOf = ({ target }) => places.findIndex((place) => place.contains(/** @type {Node} */ (target)));

  row.addEventListener("keydown", (event) => {
    const at = placeOf(event);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = stepTo(event.key, at, places.length, "ArrowLeft", "ArrowRight");
    if (to !== null) (held === null ? focusOn : moveTo)(to);
    else if ([" ", "Enter"].includes(event.key)) (held === null ? hold(at) : letGo());
    else if (event.key === "Escape") letGo(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  row.addEventListener("focusout", ({ relatedTarget }) => {
    if (!row.contains(/** @type {Node | null} */ (relatedTarget))) letGo();
  });

  row.addEventListener("pointerdown", (event) => {
    const at = placeOf(event);
    if (at < 0 || event.button) return;
    event.preventDefault();
    letGo();
    focusOn(at);
    row.setPointerCapture(event.pointerId);
    hold(at);
  });

  row.addEventListener("pointermove", ({ clientX: x, clientY: y, pointerId }) => {
    if (held === null || !row.hasPointerCapture(pointerId)) return;
    const boxes = places.map((place) => place.getBoundingClientRect());
    const over = boxes.findIndex((b) => y >= b.top && y <= b.bottom && x >= b.left && x <= b.right);
    if (over < 0) return;
    const [box, mine] = [boxes[over], boxes[held]];
    const slim = mine.width < box.width && mine.top === box.top; // else it would jump back
    const far = over > held ? x > box.right - mine.width : x < box.left + mine.width;
    if (far || !slim) moveTo(over);
  });

  row.addEventListener("pointerup", () => letGo());
  row.addEventListener("pointercancel", () => letGo(true));
  model.on("change", draw);
  draw();
}

export default { render };
