// A cell that can be edited: Python decides what is a number, and answers.

import { make, setText } from "../../static/shared/dom.js";
import { valueAt } from "../../static/shared/numbers.js";

/** One editor for the whole view. @param {View<Matrix, Cell>} view */
export function makeEditor(view) {
  let open = /** @type {Editing | null} */ (null);
  let turn = 0; // of the last question: an answer to another one is not heard

  /** The number that stands in a cell now. @param {Cell} place */
  const still = ({ panel, row, column }) => valueAt(view.tables[panel], row, column);

  /** @param {Cell} place @param {string | null} first typed already */
  function start(place, first) {
    const { title, rows, columns, cells } = view.drawings[place.panel];
    const td = cells[place.row][place.column];
    const label = `${title}, row ${rows[place.row]}, column ${columns[place.column]}`;
    close();
    const id = `tl-fault-${Math.random().toString(36).slice(2)}`;
    const fault = make("span", "tl-fault tl-unseen", { role: "alert", id }); // is seen where cells are explained
    const named = { "aria-label": label, "aria-describedby": id };
    const input = make("input", "", { inputmode: "decimal", autocomplete: "off", ...named });
    const box = make("span", "tl-editor", input, fault);
    input.value = first ?? String(still(place));
    td.append(box);
    td.classList.add("tl-open");
    const was = first === null ? input.value : null;
    open = { place, td, box, input, fault, was, end: "", owed: 0, waits: false, why: "" };
    input.addEventListener("keydown", onKey);
    input.addEventListener("blur", () => open?.input === input && settle({ end: "leave" }));
    input.focus();
    if (first === null) input.select();
  }

  function onKey(/** @type {KeyboardEvent} */ event) {
    event.stopPropagation();
    const up = event.key === "ArrowUp" ? 0.1 : event.key === "ArrowDown" ? -0.1 : 0;
    if (event.key === "Enter") settle({ end: "stay" });
    else if (event.key === "Escape") close(true);
    else if (up) settle({ owed: (open?.owed ?? 0) + up * (event.shiftKey ? 10 : 1) });
    else return;
    event.preventDefault();
  }

  /** Ask what is to be asked, one question at a time, and close at the end. @param {Partial<Editing>} more */
  function settle(more) {
    if (!open) return;
    const { place, input, was, end, owed: nudge, waits } = Object.assign(open, more);
    if (waits || !(nudge || end)) return;
    if (!nudge && input.value === was) return void close(end === "stay");
    turn = Math.random();
    Object.assign(open, { owed: 0, waits: true });
    input.readOnly = Boolean(end);
    if (view.kernel.send({ type: "edit", ...place, text: input.value, nudge, turn })) return;
    unheard(view.kernel.trouble());
  }

  /** Nobody will answer. @param {string} words */
  function unheard(words) {
    if (open?.waits) answer({ turn, type: "refused", why: words.replace(/\.$/, "") });
  }

  function close(refocus = false) {
    if (!open) return;
    const { box, td } = open;
    open = null;
    td.classList.remove("tl-open");
    box.remove();
    if (refocus) td.focus();
    if (td.isConnected) view.explain();
  }

  /** What Python said: the number stands, or why it does not; or all is as at first. @param {Answer} said */
  function answer({ turn: asked, type, why = "", text = "" }) {
    if (type === "reset") close();
    if (!open || asked !== turn) return;
    const { input } = open;
    const refused = type === "refused";
    input.setAttribute("aria-invalid", String(refused));
    input.readOnly = false;
    if (!refused) input.value = text;
    settle(refused ? { why, waits: false, end: "", owed: 0 } : { why, waits: false, was: text });
    refresh();
    view.explain();
  }

  /** A refusal tells what stands in the cell, also after that has changed. */
  function refresh() {
    if (open && !open.td.isConnected) close();
    if (open) setText(open.fault, open.why && `${open.why}. Still ${still(open.place)}.`);
  }

  /** Why what was typed does not stand; "" where it does. */
  const fault = () => open?.fault.textContent ?? "";

  return { start, close, answer, unheard, refresh, fault };
}
