// The head of an explorer: its title, its task, and the tools, which copy the numbers, save
// the picture, and set the size of every explorer on the page.
//
// Traits: title, task; and one more: see at_rest.js. Messages: "numbers" asks for a text, "picture" for an SVG;
// "working" says that the kernel has begun, and the answer bears the same `turn`, as does
// "failed", with the reason. "typed" says what was typed beside the slider of a control.
// "more" tells that a control of the second row has to be seen.
// "alive" asks for nothing but an answer, "again" for all that the widgets hold: see
// heartbeat.js. The size is kept by the browser, for this page and the next.

import { make, makeButton, setText } from "../shared/dom.js";
import { makeKernelWire } from "../shared/kernel.js";
import { saveAtRest } from "./at_rest.js";
import { tendControls } from "./controls.js";
import { makeHeartbeat, release } from "./heartbeat.js";
import { makeIcon } from "./icons.js";
import { keep, kept } from "./kept.js";
import { makeLayout } from "./layout.js";
import { makePresentation } from "./presentation.js";

const SIZES = [0.85, 1, 1.25, 1.5, 2];
const STORED = "transformer-explorers-size";
const LATE = 5000; // milliseconds after which a silent kernel is named, and a word goes

/** The size that the browser keeps: its place in SIZES. */
const keptSize = () => (SIZES[Number(kept(STORED) || 1)] ? Number(kept(STORED) || 1) : 1);

/** Set the size of every explorer on the page. @param {number} n */
function setSize(n) {
  keep(STORED, String(n));
  document.documentElement.style.setProperty("--tl-size", String(SIZES[n] ?? 1));
  document.dispatchEvent(new CustomEvent("tl-size"));
}

/** Give the reader a file. @param {string} name @param {string} text */
function keepFile(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  make("a", "", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), LATE);
}

function render(/** @type {Context} */ context) {
  const { model, el, signal } = context;
  const said = make("span", "tl-said", { role: "status" });
  const shown = make("textarea", "tl-shown", { "aria-label": "the numbers, to be copied" });
  shown.readOnly = shown.hidden = true;
  const copy = makeIcon("Copy numbers", "as a table of text", () => ask("numbers"));
  copy.classList.add("tl-of-panels");
  const save = makeIcon("Save picture", "as an SVG file", () => ask("picture"));
  const sized = (/** @type {string} */ text, /** @type {string} */ title, /** @type {number} */ by) => (
    makeButton(text, () => setSize(keptSize() + by), { title, "aria-label": title }));
  const [smaller, larger] = [sized("A−", "Smaller pictures", -1), sized("A+", "Larger pictures", 1)];
  const sizes = make("span", "", smaller, larger);
  const tools = make("div", "tl-tools", { role: "group", "aria-label": "tools" }, copy, save);
  const [title, task] = [make("b", "tl-title", model.get("title")), make("span", "tl-quiet", model.get("task"))];
  const root = make("div", "tl-head", title, task, tools);
  tools.append(...makePresentation(root, signal, makeLayout(root, signal)), sizes, said, shown);
  el.append(root);

  let [turn, waits, timer] = [0, false, 0];
  const kernel = makeKernelWire(context, () => {
    beat.check();
    tend();
    if (waits && kernel.known()) say(kernel.known());
  });
  const beat = makeHeartbeat(kernel, signal, (words) => {
    const home = root.closest(".tl-explorer");
    if (!home || home.getAttribute("data-kernel") === words) return;
    home.setAttribute("data-kernel", words);
    document.dispatchEvent(new CustomEvent("tl-kernel"));
  });
  const take = (/** @type {string} */ control, /** @type {string} */ text) => (
    void kernel.send({ type: "typed", control, text }));
  const tend = tendControls(root, signal, { name: model.get("name"), alive: kernel.alive, take, acted: beat.acted });

  /** Say something; then, if an answer is waited for, what is said when it is late. @param {string} text */
  function say(text, then = "") {
    waits = then !== "";
    setText(said, text);
    clearTimeout(timer);
    timer = window.setTimeout(() => setText(said, then), LATE);
  }

  function ask(/** @type {string} */ type) {
    shown.hidden = true;
    turn = Math.random();
    say("Working…", "The kernel is busy or has stopped.");
    if (!kernel.send({ type, turn })) say(kernel.trouble());
  }

  /** @param {Record<"type" | "text" | "svg" | "name" | "why", string> & { turn: number, widgets: string[] }} answer */
  async function onAnswer({ type, turn: asked, text, svg, name, why, widgets }) {
    if (type === "again") await release(model.widget_manager, widgets);
    if (type === "alive" || type === "again") beat.hear(asked);
    if (type === "more") openMore(); // a control of the second row is to blame
    if (asked !== turn) return; // another page of this notebook has asked
    if (type === "working") say("Working…", "Working…");
    if (type === "failed") say(`This failed: ${why}`);
    if (type === "numbers") await keepText(text);
    if (type === "picture") {
      keepFile(`${name}.svg`, svg);
      say(`Saved as ${name}.svg`);
    }
  }

  function openMore() {
    const closed = "button.tl-more[aria-expanded='false']";
    /** @type {HTMLElement | null | undefined} */ (root.closest(".tl-explorer")?.querySelector(closed))?.click();
  }

  async function keepText(/** @type {string} */ text) {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch { // a page that may not reach the clipboard shows the text instead
      shown.value = text;
      shown.hidden = false;
      shown.focus();
      shown.select();
      say("Selected: copy it with Ctrl+C or ⌘C, and close it with Escape");
    }
  }

  shown.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    shown.hidden = true;
    copy.focus();
  });
  document.addEventListener("tl-size", () => {
    smaller.disabled = keptSize() === 0;
    larger.disabled = keptSize() === SIZES.length - 1;
  }, { signal });
  model.on("msg:custom", onAnswer);
  setSize(keptSize());
}

export default { initialize: saveAtRest, render };
