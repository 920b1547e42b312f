// QuizView: questions with radio buttons; what is chosen is judged at once.
//
// Trait: questions, each with its answers. Nothing is asked of Python: what was chosen is
// the page's own affair, so that a quiz works without a kernel.

import { make, makeButton, setText, stepTo } from "explorable/static/shared/dom.js";

/** @typedef {{ text: string, answers: { text: string, feedback: string, right: boolean }[] }} Question */

function render(/** @type {Context} */ { model, el }) {
  const score = make("span");
  const asked = /** @type {Question[]} */ (model.get("questions")).map(ask);
  const list = make("div", "tl-questions", ...asked.map(({ field }) => field));
  const foot = make("div", "tl-quiz-foot", score, makeButton("Start again", reset));
  el.append(make("div", "tl-quiz", list, foot));

  function count() {
    const tries = asked.map(({ first }) => first);
    const left = tries.filter((right) => right === null).length;
    const right = `${tries.filter(Boolean).length} of ${tries.length} right at the first try`;
    setText(score, left ? `${right} · ${left} still to answer` : right);
  }

  /** A question in the page; `first` tells whether the first try was right. @param {Question} question */
  function ask({ text, answers }, /** @type {number} */ n) {
    const verdict = make("div", "tl-verdict", { role: "status" });
    const name = `tl-quiz-${Math.random()}`;
    const radio = { type: "radio", name };
    const buttons = answers.map(() => make("input", "", radio));
    const lines = answers.map((answer, at) => make("label", "", buttons[at], make("bdi", "", answer.text)));
    const legend = make("legend", "", `${n + 1}. `, make("bdi", "", text));
    const field = make("fieldset", "", legend, ...lines, verdict);
    const one = { field, buttons, verdict, first: /** @type {boolean | null} */ (null) };
    field.addEventListener("change", () => {
      const { right, feedback } = answers[buttons.findIndex(({ checked }) => checked)];
      one.first ??= right;
      verdict.classList.toggle("tl-right", right);
      setText(verdict, `${right ? "✓ Right." : "✗ Not this one."} ${feedback}`);
      count();
    });
    field.addEventListener("keydown", (event) => onKey(event, buttons));
    return one;
  }

  /** An arrow key leads to another answer and does not choose it yet: Space or Enter does. */
  function onKey(/** @type {KeyboardEvent} */ event, /** @type {HTMLElement[]} */ buttons) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const at = buttons.findIndex((button) => button === event.target);
    const to = stepTo(event.key, at, buttons.length, "ArrowUp ArrowLeft", "ArrowDown ArrowRight");
    if (to === null && event.key !== "Enter") return;
    event.preventDefault();
    if (to === null) buttons[at].click();
    else buttons[to].focus();
  }

  function reset() {
    for (const one of asked) {
      for (const button of one.buttons) button.checked = false;
      one.first = null;
      setText(one.verdict, "");
    }
    count();
  }

  count();
}

export default { render };
