// OrderView: the words of a sentence in a row, to be dragged into another order.
//
// Traits: words, value (which word stands at each place). Messages: "reverse",
// "shuffle", "original". The places stay, the words in them change: so the focus is
// never lost, and nothing is rebuilt while a word is on its way.

import { make, setText, stepTo } from "../shared/dom.js";

const HOW = "Drag a word, or press Space on it and move it with the arrow keys.";
const HELD = "← → move it, Space puts it down, Escape puts it back.";

function render(/** @type {Context} */ { model, el }) {
  const id = `tl-order-${Math.random().toString(36).slice(2)}`;
  const root = make("div", "tl-order", "", { role: "group", "aria-label": "order of the words" });
  const row = make("div", "tl-order-row");
  const hint = make("span", "tl-order-hint", HOW, { id });
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

  let places = /** @type {HTMLElement[]} */ ([]);
  let held = /** @type {number | null} */ (null); // the place of the word in hand
  let before = /** @type {number[]} */ ([]); // the order to put back
  let dragging = false;
  const order = () => /** @type {number[]} */ (model.get("value"));
  const wordAt = (/** @type {number} */ n) => String(model.get("words")[order()[n]] ?? "");

  function draw() {
    if (places.length !== order().length) {
      held = null;
      row.replaceChildren(...(places = order().map((_, n) => makePlace(n))));
    }
    places.forEach((place, n) => {
      setText(place.children[1], wordAt(n));
      place.title = wordAt(n);
      place.classList.toggle("tl-held", n === held);
      place.classList.toggle("tl-moved", order()[n] !== n);
      place.ariaPressed = String(n === held);
      place.ariaLabel = `${wordAt(n)}, place ${n}`;
    });
    setText(hint, held === null ? HOW : HELD);
  }

  function makePlace(/** @type {number} */ n) {
    const place = make("button", "tl-word", "", { type: "button", "aria-describedby": id });
    place.tabIndex = n ? -1 : 0;
    place.append(make("i", "", String(n)), make("bdi", "tl-cut"));
    return place;
  }

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
    setText(said, `“${wordAt(n)}” held, place ${n} of 0 to ${places.length - 1}. ${HELD}`);
    draw();
  }

  function moveTo(/** @type {number} */ n) {
    if (held === null || n === held) return;
    const [word, value] = [wordAt(held), [...order()]];
    value.splice(n, 0, ...value.splice(held, 1));
    held = n;
    focusOn(n);
    set(value, `“${word}” at place ${n}`);
    draw();
  }

  function letGo(back = false) {
    if (held === null) return;
    if (back) set(before, "Put back: the order is as it was.");
    else setText(said, `“${wordAt(held)}” put down at place ${held}`);
    held = null;
    dragging = false;
    draw();
  }

  // ── keyboard, mouse and finger ─────────────────────────────────────────────
  /** The place of a word that an event came to, or -1. @param {Event} event */
  const placeOf = ({ target }) => places.findIndex((place) => target instanceof Node && place.contains(target));

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
    const inside = relatedTarget instanceof Node && row.contains(relatedTarget);
    if (!dragging && !inside) letGo();
  });

  row.addEventListener("pointerdown", (event) => {
    const at = placeOf(event);
    if (at < 0 || event.button) return;
    event.preventDefault();
    letGo();
    focusOn(at);
    dragging = true;
    row.setPointerCapture(event.pointerId);
    hold(at);
  });

  row.addEventListener("pointermove", ({ clientX: x, clientY: y }) => {
    if (!dragging || held === null) return;
    const boxes = places.map((place) => place.getBoundingClientRect());
    const over = boxes.findIndex((b) => y >= b.top && y <= b.bottom && x >= b.left && x <= b.right);
    if (over < 0) return;
    const [box, mine] = [boxes[over], boxes[held]];
    const slim = mine.width < box.width && mine.top === box.top; // else it would jump back
    const far = over > held ? x > box.right - mine.width : x < box.left + mine.width;
    if (far || !slim) moveTo(over);
  });

  row.addEventListener("pointerup", () => dragging && letGo());
  row.addEventListener("pointercancel", () => letGo(true));
  model.on("change", draw);
  draw();
  return () => model.off("change", draw);
}

export default { render };
