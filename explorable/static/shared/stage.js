// The stage that every view stands on: the message, which the first one in sight shows, the
// place for its drawings, and the lines that explain the place in view.

import { make, putAll, setText } from "./dom.js";
import { makeFloating } from "./floating.js";

/** A drawing's box; its view puts what it draws before the note. @param {Frame} frame @returns {Box} */
export function makeBox({ palette, step, title }) {
  const [heading, foot] = [make("span", "tl-quiet"), make("div", "tl-note tl-quiet")];
  const number = step ? make("i", "tl-step", String(step)) : "";
  const head = make("figcaption", "", number, make("b", "", title), heading);
  return { box: make("figure", `tl-panel of-${palette}`, head, foot), head, heading, foot };
}

/** Put the stage into a cell's output. @param {Context} context */
export function makeStage({ model, el, signal }) {
  const [message, picture] = [make("div", "tl-message", { role: "alert" }), make("div", "tl-picture")];
  const [about, sum, hint] = ["tl-about", "tl-sum", "tl-hint tl-quiet"].map((name) => make("div", name));
  const why = make("div", "tl-why", { role: "status" }, about, sum, hint);
  const foot = make("div", "tl-foot", why);
  const root = make("div", "tl", picture, foot);
  el.append(root);
  return {
    root, picture,
    floating: makeFloating({ picture, foot, why }, signal),
    say(/** @type {string} */ text) {
      if (!model.get("tells")) message.remove();
      else if (!message.isConnected) root.prepend(message);
      setText(message, text);
    },
    /** A sentence holds {names}, which stand for texts and are set apart as such. @param {Explained} said */
    show({ sentence, names, chips = [], hint: what }) {
      const pieces = sentence.split(/\{(\w+)\}/).map((text, n) => (n % 2 ? String(names[text]) : text));
      if (about.textContent !== pieces.join("")) {
        about.replaceChildren(...pieces.map((text, n) => (n % 2 ? make("bdi", "", text) : text)));
      }
      // One little two-storey box per term: its sign, what is taken, and what it comes to.
      putAll(sum, () => make("span", "", make("span", "tl-operator"), make("i", "tl-quiet"), make("b")), chips.map(
        ([, , sign, look = ""]) => ({ class: `tl-chip ${sign === "where" ? "tl-where" : look}` }),
      ));
      chips.forEach(([above, below, sign = ""], n) => {
        [sign, above, below].forEach((text, part) => setText(sum.children[n].children[part], text));
      });
      setText(hint, what);
    },
  };
}
