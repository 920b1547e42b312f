// The stage that every view stands on: the place for its drawings, and its lines: the
// message, which the first view in sight shows, and what explains the place in view. The
// lines of all views of an explorer lie in its aside, where one of them at a time explains.

import { make, putAll, setText, typeset } from "./dom.js";

/** A drawing's box; its view puts what it draws before the note. @param {Frame} frame @returns {Box} */
export function makeBox({ palette, step, title, concludes }) {
  const foot = make("div", `tl-note ${concludes ? "tl-concludes" : "tl-quiet"}`);
  const heading = make("span", "tl-quiet");
  const number = step ? make("i", "tl-step", String(step)) : "";
  const head = make("figcaption", "", number, make("b", "", title), heading);
  return { box: make("figure", `tl-panel of-${palette}`, head, foot), head, heading, foot };
}

/** A sign, and the parentheses before it: where a rule stands for them, they are not seen. */
const makeOperator = () => make("span", "tl-operator", make("span", "tl-brackets"), make("span"));

/** Put the stage into a cell's output. @param {Context} context */
export function makeStage({ model, el, signal }) {
  const [message, picture] = [make("div", "tl-message", { role: "alert" }), make("div", "tl-picture")];
  const [about, sum, hint] = ["tl-about", "tl-sum", "tl-hint tl-quiet"].map((name) => make("div", name));
  const why = make("div", "tl-why", { role: "status" }, about, sum, hint);
  const lines = make("div", "tl-account", why);
  const root = make("div", "tl", picture, lines);
  el.append(root);

  /** Once it stands in an explorer, the lines go there; keys can scroll what is too long. */
  const placed = new ResizeObserver(() => {
    const aside = root.closest(".tl-explorer")?.querySelector(".tl-aside");
    if (aside && lines.parentNode !== aside) aside.append(lines);
    if (why.scrollHeight > why.clientHeight + 1) why.tabIndex = 0;
    else why.removeAttribute("tabindex");
  });
  for (const node of [root, why]) placed.observe(node);
  signal.addEventListener("abort", () => {
    placed.disconnect();
    lines.remove();
  });
  return {
    root, picture, lines,
    say(/** @type {string} */ text) {
      lines.classList.toggle("tl-first", model.get("tells"));
      if (!lines.parentElement?.querySelector(".tl-speaks")) root.classList.toggle("tl-mute", !model.get("tells"));
      if (!model.get("tells")) message.remove();
      else if (!message.isConnected) lines.prepend(message);
      setText(message, text);
    },
    /** Let this view explain, and not another: one that has a pin goes on. @param {boolean} pinned */
    speak(pinned) {
      if (lines.matches(".tl-speaks")) return;
      const other = lines.parentElement?.querySelector(".tl-speaks");
      if (!pinned && other?.matches(".tl-holds")) return;
      other?.classList.remove("tl-speaks");
      lines.classList.add("tl-speaks");
      for (const view of root.closest(".tl-explorer")?.querySelectorAll(".tl") ?? []) {
        view.classList.toggle("tl-mute", view !== root);
      }
    },
    /** Calculations take more room than numbers that are said as they are. */
    reserve(/** @type {{ provenance?: { op: string } }[]} */ drawings) {
      const isCalculated = drawings.some(({ provenance: made }) => made && made.op !== "leaf");
      if (isCalculated === lines.classList.contains("tl-calculates")) return;
      lines.classList.toggle("tl-calculates", isCalculated);
      root.dispatchEvent(new CustomEvent("tl-reserved", { bubbles: true }));
    },
    /** A sentence holds {names}, which stand for texts and are set apart as such. @param {Explained} said */
    show({ sentence, names, chips = [], hint: what }) {
      const pieces = sentence.split(/\{(\w+)\}/).map((text, n) => (n % 2 ? String(names[text]) : text));
      if (about.textContent !== pieces.join("")) {
        about.replaceChildren(...pieces.flatMap((text, n) => (n % 2 ? make("bdi", "", text) : typeset(text))));
      }
      sum.classList.toggle("tl-opens", !chips[0]?.[2]);
      sum.classList.toggle("tl-plain", chips.every(([, , sign]) => !sign));
      // One little two-storey box per term: its sign, what is taken, and what it comes to.
      putAll(sum, () => make("span", "", makeOperator(), make("i", "tl-quiet"), make("b")), chips.map(
        ([, , sign, look = ""]) => ({ class: `tl-chip ${sign === "where" ? "tl-where" : look}` }),
      ));
      chips.forEach(([above, below, sign = ""], n) => {
        const label = chips.length === 1 && about.textContent?.includes(above) ? "" : above; // it is said there
        const [operator, ...words] = sum.children[n].children;
        const [, brackets, of] = /** @type {string[]} */ (/^([()]* ?)(.*)$/.exec(sign));
        [brackets, of].forEach((text, part) => setText(operator.children[part], text));
        [label, below].forEach((text, part) => setText(words[part], text));
      });
      setText(hint, what);
    },
  };
}
