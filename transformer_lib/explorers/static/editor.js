// A cell that can be edited: Python decides what is a number, and answers.

/**
 * One editor for the whole view.
 * @param send (place, {text, nudge, turn}) asks Python to put a number into a cell
 * @param still (place) the number that stands there now, as text
 */
function makeEditor(send, still) {
  let open = null;
  let turn = 0; // an answer to an older question is not heard

  function start(place, td, label, first) {
    close();
    const box = make("span", "tl-editor");
    const input = make("input");
    const fault = make("span", "tl-fault");
    fault.setAttribute("role", "alert");
    fault.id = `tl-fault-${Math.random().toString(36).slice(2)}`;
    input.dataset.lmSuppressShortcuts = "true";
    input.inputMode = "decimal";
    input.autocomplete = "off";
    input.value = first ?? still(place);
    input.setAttribute("aria-label", label);
    input.setAttribute("aria-describedby", fault.id);
    box.append(input, fault);
    td.append(box);
    td.classList.add("tl-open");
    open = { place, td, box, input, fault, was: first === null ? input.value : null };
    Object.assign(open, { then: "", owed: 0, after: "", why: "" });
    input.addEventListener("keydown", onKey);
    input.addEventListener("blur", () => open?.input === input && commit("leave"));
    input.focus();
    if (first === null) input.select();
  }

  function onKey(event) {
    event.stopPropagation();
    const nudge = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
    if (event.key === "Enter") commit("stay");
    else if (event.key === "Escape") close(true);
    else if (nudge) push(nudge * (event.shiftKey ? 10 : 1));
    else return;
    event.preventDefault();
  }

  function commit(then) {
    if (open.then === "nudge") open.after = then;
    else if (open.input.value === open.was) close(then === "stay");
    else ask(then, 0);
  }

  /** Nudges that come faster than Python answers are added up, not lost. */
  function push(nudge) {
    open.owed += nudge;
    if (open.then !== "nudge") pay();
  }

  function pay() {
    const nudge = open.owed;
    open.owed = 0;
    ask("nudge", nudge);
  }

  function ask(then, nudge) {
    open.then = then;
    open.input.readOnly = then !== "nudge";
    try {
      send(open.place, { text: open.input.value, nudge, turn: ++turn });
    } catch {
      answer({ turn, type: "refused", why: "The kernel has stopped: run this cell again" });
    }
  }

  function close(refocus = false) {
    if (!open) return;
    const { box, td } = open;
    open = null;
    td.classList.remove("tl-open");
    box.remove();
    if (refocus) td.focus();
  }

  /** What Python said: the number stands, or why it does not. */
  function answer(said) {
    if (!open || said.turn !== turn) return;
    const { then, after } = open;
    const refused = said.type === "refused";
    open.input.setAttribute("aria-invalid", String(refused));
    open.why = refused ? said.why : "";
    refresh();
    open.input.readOnly = false;
    Object.assign(open, { then: "", after: "" });
    if (refused) open.owed = 0;
    else if (then !== "nudge") close(then === "stay");
    else {
      open.input.value = open.was = said.text;
      if (open.owed) {
        pay();
        open.after = after;
      } else if (after) close(after === "stay");
    }
  }

  /** A refusal tells what stands in the cell, also after that has changed. */
  function refresh() {
    if (open) setText(open.fault, open.why && `${open.why}. Still ${still(open.place)}.`);
  }

  return { start, close, answer, refresh, isOpen: () => open !== null };
}
