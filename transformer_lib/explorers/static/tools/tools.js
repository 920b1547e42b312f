// Tools: copy the numbers, save the picture, set the size of every explorer on the page.
//
// No traits. Messages: "numbers" asks for a text, "picture" for an SVG; "working" says
// that the kernel has begun, and the answer bears the same `turn`. The size is kept by
// the browser, for this page and the next.

import { make, setText } from "../shared/dom.js";
import { STOPPED, makeKernelWire } from "../shared/kernel.js";
import { tendControls } from "./controls.js";
import { makeProjector } from "./projector.js";

const SIZES = [0.85, 1, 1.25, 1.5, 2];
const STORED = "transformer-explorers-size";
const LATE = 5000; // milliseconds after which a silent kernel is named, and a word goes

/** Set the size of every explorer on the page. @param {number} n */
function setSize(n) {
  if (!SIZES[n]) return;
  document.documentElement.style.setProperty("--tl-size", String(SIZES[n]));
  try { localStorage.setItem(STORED, String(n)); } catch { /* a page without storage */ }
  document.dispatchEvent(new CustomEvent("tl-size"));
}

function storedSize() {
  let text = null;
  try { text = localStorage.getItem(STORED); } catch { /* a page without storage */ }
  return text !== null && SIZES[Number(text)] ? Number(text) : 1;
}

/** Give the reader a file. @param {string} name @param {string} text */
function keepFile(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  make("a", "", "", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), LATE);
}

function render(/** @type {Context} */ { model, el }) {
  const root = make("div", "tl-tools", "", { role: "group", "aria-label": "tools" });
  const press = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ act) => {
    const button = make("button", "", text, { type: "button", title });
    if (!/[a-z]{2}/.test(text)) button.ariaLabel = title;
    button.addEventListener("click", act);
    return button;
  };
  const said = make("span", "tl-said", "", { role: "status" });
  const shown = make("textarea", "tl-shown", "", { "aria-label": "the numbers, to be copied" });
  shown.readOnly = shown.hidden = true;
  const copy = press("Copy numbers", "Copy every number of this picture as a table of text", () => ask("numbers"));
  const save = press("Save picture", "Save this picture as an SVG file", () => ask("picture"));
  copy.classList.add("tl-of-panels");
  const smaller = press("A−", "Smaller pictures", () => setSize(storedSize() - 1));
  const larger = press("A+", "Larger pictures", () => setSize(storedSize() + 1));
  const projector = makeProjector(root);
  root.append(copy, save, ...projector.buttons, smaller, larger, said, shown);
  el.append(root);

  let [turn, waits, timer] = [0, false, 0];
  const controls = tendControls(root);
  const kernel = makeKernelWire(model, () => {
    controls.rest();
    if (waits) over(STOPPED);
  });

  /** Say something, and later what comes after it. @param {string} text */
  function say(text, then = "") {
    setText(said, text);
    clearTimeout(timer);
    timer = window.setTimeout(() => setText(said, then), LATE);
  }

  /** No answer is waited for any more. @param {string} text */
  function over(text) {
    waits = false;
    say(text);
  }

  function ask(/** @type {string} */ type) {
    shown.hidden = waits = true;
    turn = Math.random();
    say("Working…", "The kernel is busy or has stopped.");
    kernel.send({ type, turn });
  }

  /** @param {{ type: string, turn: number, text: string, svg: string, name: string }} answer */
  async function onAnswer({ type, turn: asked, text, svg, name }) {
    if (asked !== turn) return; // another page of this notebook has asked
    if (type === "working") say("Working…", "Working…");
    if (type === "numbers") await keepText(text);
    if (type === "picture") {
      keepFile(`${name}.svg`, svg);
      over(`Saved as ${name}.svg`);
    }
  }

  async function keepText(/** @type {string} */ text) {
    try {
      await navigator.clipboard.writeText(text);
      over("Copied");
    } catch { // a page that may not reach the clipboard shows the text instead
      shown.value = text;
      shown.hidden = false;
      shown.focus();
      shown.select();
      over("Selected: copy it with Ctrl+C or ⌘C, and close it with Escape");
    }
  }

  shown.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    shown.hidden = true;
    copy.focus();
  });
  const onSize = () => {
    smaller.disabled = storedSize() === 0;
    larger.disabled = storedSize() === SIZES.length - 1;
  };
  document.addEventListener("tl-size", onSize);
  model.on("msg:custom", onAnswer);
  setSize(storedSize());
  return () => {
    controls.stop();
    projector.stop();
    kernel.stop();
    document.removeEventListener("tl-size", onSize);
    model.off("msg:custom", onAnswer);
    clearTimeout(timer);
  };
}

export default { render };
