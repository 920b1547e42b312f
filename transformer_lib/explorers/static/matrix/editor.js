// A cell that can be edited: Python decides what is a number, and answers.

import { make, setText } from "../shared/dom.js";

/**
 * One editor for the whole view.
 * @param {(place: Cell, question: { text: string, nudge: number, turn: number }) => boolean} send
 * asks Python to put a number into a cell; whether it could be asked
 * @param {(place: Cell) => string} still the number that stands there now
 */
export function makeEditor(send, still) {
  let open = /** @type {Editing | null} */ (null);
  let turn = 0; // an answer to an older question is not heard

  /** @param {Cell} place @param {HTMLElement} td @param {string} label @param {string | null} first typed already */
  function start(place, td, label, first) {
    close();
    const id = `tl-fault-${Math.random().toString(36).slice(2)}`;
    const box = make("span", "tl-editor");
    const fault = make("span", "tl-fault", "", { role: "alert", id });
    const input = make("input", "", "", { "aria-label": label, "aria-describedby": id });
    input.dataset.lmSuppressShortcuts = "true";
    input.inputMode = "decimal";
    input.autocomplete = "off";
    input.value = first ?? still(place);
    box.append(input, fault);
    td.append(box);
    td.classList.add("tl-open");
    const was = first === null ? input.value : null;
    open = { place, td, box, input, fault, was, then: "", after: "", owed: 0, why: "" };
    input.addEventListener("keydown", onKey);
    input.addEventListener("blur", () => open?.input === input && commit(open, "leave"));
    input.focus();
    if (first === null) input.select();
  }

  function onKey(/** @type {KeyboardEvent} */ event) {
    event.stopPropagation();
    if (!open) return;
    const up = event.key === "ArrowUp" ? 0.1 : event.key === "ArrowDown" ? -0.1 : 0;
    if (event.key === "Enter") commit(open, "stay");
    else if (event.key === "Escape") close(true);
    else if (up) push(open, up * (event.shiftKey ? 10 : 1));
    else return;
    event.preventDefault();
  }

  function commit(/** @type {Editing} */ now, /** @type {string} */ then) {
    if (now.then === "nudge") now.after = then;
    else if (now.input.value === now.was) close(then === "stay");
    else ask(now, then, 0);
  }

  /** Nudges that come faster than Python answers are added up. @param {Editing} now @param {number} nudge */
  function push(now, nudge) {
    now.owed += nudge;
    if (now.then === "nudge") return;
    ask(now, "nudge", now.owed);
  }

  function ask(/** @type {Editing} */ now, /** @type {string} */ then, /** @type {number} */ nudge) {
    now.then = then;
    now.owed = 0;
    now.input.readOnly = then !== "nudge";
    turn += 1;
    if (send(now.place, { text: now.input.value, nudge, turn })) return;
    answer({ turn, type: "refused", why: "The kernel has stopped: run this cell again" });
  }

  function close(refocus = false) {
    if (!open) return;
    const { box, td } = open;
    open = null;
    td.classList.remove("tl-open");
    box.remove();
    if (refocus) td.focus();
  }

  /** What Python said: the number stands, or why it does not. @param {Answer} said */
  function answer(said) {
    if (!open || said.turn !== turn) return;
    const now = open;
    const { then, after, owed } = now;
    const refused = said.type === "refused";
    now.why = refused ? String(said.why) : "";
    refresh();
    now.input.setAttribute("aria-invalid", String(refused));
    now.input.readOnly = false;
    Object.assign(now, { then: "", after: "", owed: 0 });
    if (refused) return;
    if (then !== "nudge") return close(then === "stay");
    now.input.value = now.was = String(said.text);
    if (owed) {
      push(now, owed);
      now.after = after;
    } else if (after) close(after === "stay");
  }

  /** A refusal tells what stands in the cell, also after that has changed. */
  function refresh() {
    if (open) setText(open.fault, open.why && `${open.why}. Still ${still(open.place)}.`);
  }

  return { start, close, answer, refresh };
}
