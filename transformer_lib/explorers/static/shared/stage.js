// The stage that every view stands on: the message, the place for its drawings, and the
// lines that explain the place in view.

import { make, setText } from "./dom.js";
import { makeFloating } from "./floating.js";

/** A drawing's box; its view puts what it draws before the note. @param {Frame} frame @returns {Box} */
export function makeBox({ palette, step, title }) {
  const box = make("figure", `tl-panel of-${palette}`);
  const head = make("figcaption");
  const [heading, foot] = [make("span"), make("div", "tl-note")];
  if (step) head.append(make("i", "tl-step", String(step)));
  head.append(make("b", "", title), heading);
  box.append(head, foot);
  return { box, head, heading, foot };
}

/** Put the stage into a cell's output. @param {Context} context */
export function makeStage({ model, el }) {
  const root = make("div", "tl");
  const message = make("div", "tl-message", "", { role: "alert" });
  const [picture, foot] = [make("div", "tl-picture"), make("div", "tl-foot")];
  const why = make("div", "tl-why", "", { role: "status" });
  const [about, sum, hint] = ["tl-about", "tl-sum", "tl-hint"].map((name) => make("div", name));
  why.append(about, sum, hint);
  foot.append(why);
  root.append(...(model.get("leads") ? [message] : []), picture, foot);
  el.append(root);
  return {
    root, picture,
    floating: makeFloating(picture, foot, why),
    say: (/** @type {string} */ text) => setText(message, text),
    /** A sentence holds {names}, which stand for texts and are set apart as such. @param {Explained} said */
    explain({ sentence, names, chips = [], hint: what }) {
      const pieces = sentence.split(/\{(\w+)\}/);
      setText(about, pieces.map((text, n) => (n % 2 ? String(names[text]) : text)));
      fill(sum, chips);
      setText(hint, what);
    },
  };
}

/** One little two-storey box per term: what is taken, and what it comes to. @param {Chip[]} chips */
function fill(/** @type {HTMLElement} */ sum, chips) {
  while (sum.children.length > chips.length) sum.children[chips.length].remove();
  while (sum.children.length < chips.length) {
    const chip = make("span", "tl-chip");
    chip.append(make("i"), make("b"));
    sum.append(chip);
  }
  chips.forEach(([above, below, look = ""], n) => {
    const chip = sum.children[n];
    chip.className = `tl-chip ${look}`;
    setText(chip.children[0], above);
    setText(chip.children[1], below);
  });
}
