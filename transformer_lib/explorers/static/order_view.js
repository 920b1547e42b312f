// OrderView: the words of a sentence in a row, to be dragged into another order.
//
// Traits: words, value (which word stands at each place). Messages: "reverse",
// "shuffle", "original". The places stay, the words in them change: so the focus is
// never lost, and nothing is rebuilt while a word is on its way.

const HOW = "Drag a word, or press Space on it and move it with the arrow keys.";
const HELD = "← → move it, Space puts it down, Escape puts it back.";

function render({ model, el }) {
  const root = make("div", "tl-order");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "order of the words");
  const row = make("div", "tl-order-row");
  const hint = make("span", "tl-order-hint", HOW);
  hint.id = `tl-order-${Math.random().toString(36).slice(2)}`;
  const said = make("div", "tl-order-said");
  said.setAttribute("aria-live", "polite");
  const buttons = make("span", "tl-order-buttons");
  for (const name of ["Reverse", "Shuffle", "Original"]) {
    const button = make("button", "", name);
    button.type = "button";
    button.addEventListener("click", () => {
      letGo();
      model.send({ type: name.toLowerCase() });
    });
    buttons.append(button);
  }
  root.append(row, buttons, hint, said);
  el.append(root);

  let places = [], held = null, before = null, dragging = false;

  function draw() {
    const [words, value] = [model.get("words"), model.get("value")];
    if (places.length !== value.length) {
      held = null;
      row.replaceChildren(...(places = value.map(makePlace)));
    }
    places.forEach((place, n) => {
      setText(place.lastChild, words[value[n]] ?? "");
      place.title = words[value[n]] ?? "";
      place.classList.toggle("tl-held", n === held);
      place.classList.toggle("tl-moved", value[n] !== n);
      place.setAttribute("aria-pressed", String(n === held));
      place.setAttribute("aria-label", `${words[value[n]]}, place ${n}`);
    });
    setText(hint, held === null ? HOW : HELD);
  }

  function makePlace(_, n) {
    const place = make("button", "tl-word");
    place.type = "button";
    place.tabIndex = n ? -1 : 0;
    place.setAttribute("aria-describedby", hint.id);
    place.append(make("i", "", String(n)), make("bdi"));
    return place;
  }

  const wordAt = (n) => model.get("words")[model.get("value")[n]];
  const focusOn = (n) => focusOne(places, places[n]);
  function set(value) {
    model.set("value", value);
    model.save_changes();
  }

  // ── a word in hand ─────────────────────────────────────────────────────────
  function hold(n) {
    held = n;
    before = model.get("value");
    setText(said, `“${wordAt(n)}” held, place ${n} of 0 to ${places.length - 1}. ${HELD}`);
    draw();
  }
  function moveTo(n) {
    if (n === held) return;
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

  // ── keyboard ───────────────────────────────────────────────────────────────
  function onKey(event) {
    const at = places.indexOf(event.target.closest(".tl-word"));
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = stepTo(event.key, at, places.length, "ArrowLeft", "ArrowRight");
    if (to !== null) (held === null ? focusOn : moveTo)(to);
    else if ([" ", "Enter"].includes(event.key)) (held === null ? hold(at) : letGo());
    else if (event.key === "Escape") letGo(true);
    else if (event.key.length > 1) return;
    event.preventDefault(); // a letter here is not one of JupyterLab's shortcuts
    event.stopPropagation();
  }
  function onBlur(event) {
    if (!dragging && !row.contains(event.relatedTarget)) letGo();
  }

  // ── mouse and finger ───────────────────────────────────────────────────────
  function onDown(event) {
    const at = places.indexOf(event.target.closest(".tl-word"));
    if (at < 0 || event.button) return;
    event.preventDefault();
    letGo();
    focusOn(at);
    dragging = true;
    row.setPointerCapture(event.pointerId);
    hold(at);
  }
  function onMove(event) {
    if (!dragging) return;
    const over = places.findIndex((place) => {
      const box = place.getBoundingClientRect();
      return event.clientY >= box.top && event.clientY <= box.bottom
        && event.clientX >= box.left && event.clientX <= box.right;
    });
    if (over < 0 || over === held) return;
    const box = places[over].getBoundingClientRect();
    const mine = places[held].getBoundingClientRect();
    const far = mine.width < box.width && mine.top === box.top // else it would jump back
      ? (over > held ? event.clientX > box.right - mine.width : event.clientX < box.left + mine.width)
      : true;
    if (far) moveTo(over);
  }
  const onUp = () => dragging && letGo();

  const wires = [["keydown", onKey], ["focusout", onBlur], ["pointerdown", onDown], ["pointermove", onMove],
    ["pointerup", onUp], ["pointercancel", () => letGo(true)]];
  for (const [name, act] of wires) row.addEventListener(name, act);
  model.on("change", draw);
  draw();
  return () => model.off("change", draw);
}

export default { render };
