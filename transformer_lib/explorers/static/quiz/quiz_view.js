// QuizView: questions with radio buttons; what is chosen is judged at once.
//
// Trait: questions, each with its answers. Nothing is asked of Python: what was chosen is
// the page's own affair, so that a quiz works without a kernel.

import { make, setText, stepTo } from "../shared/dom.js";

/** @typedef {{ text: string, answers: { text: string, why: string, right: boolean }[] }} Question */

function render(/** @type {Context} */ { model, el }) {
  const root = make("div", "tl-quiz");
  const list = make("div", "tl-questions");
  const foot = make("div", "tl-quiz-foot");
  const [score, reset] = [make("span"), make("button", "", "Start again", { type: "button" })];
  const questions = /** @type {Question[]} */ (model.get("questions"));
  const asked = questions.map(ask);
  list.append(...asked.map(({ field }) => field));
  foot.append(score, reset);
  root.append(list, foot);
  el.append(root);

  function count() {
    const tries = asked.map(({ first }) => first);
    const left = tries.filter((right) => right === null).length;
    const right = `${tries.filter(Boolean).length} of ${tries.length} right at the first try`;
    setText(score, left ? `${right} · ${left} still to answer` : right);
  }

  /** A question in the page; `first` tells whether the first try was right. @param {Question} question */
  function ask({ text, answers }, /** @type {number} */ n) {
    const field = make("fieldset");
    const legend = make("legend", "", `${n + 1}. `);
    const verdict = make("div", "tl-verdict", "", { role: "status" });
    const name = `tl-quiz-${Math.random()}`;
    const buttons = /** @type {HTMLInputElement[]} */ ([]);
    const one = { field, buttons, verdict, first: /** @type {boolean | null} */ (null) };
    const lines = answers.map((answer, at) => {
      const line = make("label");
      const button = make("input", "", "", { type: "radio", name });
      button.dataset.lmSuppressShortcuts = "true"; // or JupyterLab takes the arrow keys
      button.addEventListener("change", () => {
        one.first ??= answer.right;
        verdict.classList.toggle("tl-right", answer.right);
        setText(verdict, `${answer.right ? "✓ Right." : "✗ Not this one."} ${answer.why}`);
        count();
      });
      button.addEventListener("keydown", (event) => onKey(event, buttons, at));
      buttons.push(button);
      line.append(button, make("bdi", "", answer.text));
      return line;
    });
    legend.append(make("bdi", "", text));
    field.append(legend, ...lines, verdict);
    return one;
  }

  /** An arrow key leads to another answer and does not choose it yet: Space or Enter does. */
  function onKey(/** @type {KeyboardEvent} */ event, /** @type {HTMLElement[]} */ buttons, /** @type {number} */ at) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const to = stepTo(event.key, at, buttons.length, "ArrowUp ArrowLeft", "ArrowDown ArrowRight");
    if (to === null && event.key !== "Enter") return;
    event.preventDefault();
    if (to === null) buttons[at].click();
    else buttons[to].focus();
  }

  reset.addEventListener("click", () => {
    for (const one of asked) {
      for (const button of one.buttons) button.checked = false;
      one.first = null;
      setText(one.verdict, "");
    }
    count();
  });
  count();
}

export default { render };
