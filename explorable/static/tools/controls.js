// What ipywidgets' own controls lack: names for their handles, numbers that hold beside
// them, and keys that stay theirs.

import { makeButton, put, setText, typeset } from "../shared/dom.js";
import { keep, kept } from "./kept.js";

const MORE = "transformer-explorers-more-";
const ACTS = ["pointerdown", "pointerup", "keydown", "input", "change"];

/**
 * Tell whether a key is the explorer's: what is pressed with Ctrl, Alt or ⌘ is the page's,
 * and Shift+Enter runs the cell.
 * @param {KeyboardEvent} event
 */
function isOurs({ key, shiftKey, ctrlKey, metaKey, altKey }) {
  const runs = key === "Enter" && shiftKey;
  return !(ctrlKey || metaKey || altKey || runs || ["Tab", "Escape"].includes(key));
}

/** Let no key of ours act on the notebook, where x would cut the cell. @param {KeyboardEvent} event */
function keepKey(event) {
  if (isOurs(event)) event.stopPropagation();
}

/**
 * A slider's handle says its label, and the number beside it: left alone it would say
 * which stop it stands at, or 1.0000000000000002. What is being typed is no number yet.
 * @param {Element} slider @param {boolean} moved whether the handle was
 */
function nameHandle(slider, moved) {
  const [handle, readout, label] = [".noUi-handle", ".widget-readout", ".widget-label"].map((part) => (
    slider.querySelector(part)));
  if (!handle || !readout) return;
  const name = { "aria-label": label?.textContent ?? "" };
  put(readout, { ...name, role: "textbox" });
  const typing = readout === document.activeElement && !moved;
  put(handle, typing ? name : { ...name, "aria-valuetext": readout.textContent ?? "" });
  if (slider.matches(".tl-stepper")) tendStepper(slider, handle, readout);
}

/**
 * A range of few numbers has a button at either side of its number, for the mouse alone:
 * the keyboard has the slider's handle, which is there and takes no room.
 * @param {Element} slider @param {Element} handle @param {Element} readout
 */
function tendStepper(slider, handle, readout) {
  if (!slider.querySelector("button")) {
    const step = (/** @type {string} */ text, /** @type {string} */ key) => makeButton(text, () => (
      handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
    ), { "aria-hidden": true, tabindex: -1 });
    readout.before(step("−", "ArrowLeft"));
    readout.after(step("+", "ArrowRight"));
  }
  const [now, low, high] = ["now", "min", "max"].map((of) => Number(handle.getAttribute(`aria-value${of}`)));
  const isResting = handle.closest("[disabled]") !== null;
  [now <= low, now >= high].forEach((isEnd, n) => {
    /** @type {HTMLButtonElement} */ (slider.querySelectorAll("button")[n]).disabled = isEnd || isResting;
  });
}

/**
 * Look after the controls of the explorer that a node stands in, once it stands there.
 * A control that nobody answers rests: it would only part from the picture.
 * @param {Element} root @param {AbortSignal} signal
 * @param {object} tells
 * @param {string} tells.name of the explorer
 * @param {() => boolean} tells.alive whether somebody answers
 * @param {(control: string, text: string) => void} tells.take what to do with a number typed beside a slider
 * @param {() => void} tells.acted what to do when the reader, or Python, has done something
 */
export function tendControls(root, signal, { name: explorerName, alive, take, acted }) {
  const home = () => /** @type {HTMLElement | null} */ (root.closest(".tl-explorer"));

  /** @param {{ type?: string, target?: Node }[]} [changes] */
  function tend(changes = []) {
    const explorer = home();
    if (!explorer) return;
    listen(explorer);
    const bar = explorer.querySelector(":scope > .tl-controls");
    if (!bar) return; // a quiz has none
    rest(bar, !alive());
    tendMore(explorer, bar);
    for (const label of bar.querySelectorAll(".widget-label, .widget-label-basic > span")) {
      const { textContent: text, firstElementChild: isSet } = label;
      if (text && /[_^]/.test(text) && !isSet) label.replaceChildren(...typeset(text));
    }
    for (const slider of bar.querySelectorAll(".widget-slider")) {
      nameHandle(slider, changes.some(({ type, target }) => type === "attributes" && slider.contains(target ?? null)));
    }
    if (changes.some(({ type }) => type === "attributes")) acted(); // a slider is dragged
    later.observe(bar, { childList: true, subtree: true, attributeFilter: ["aria-valuetext"] });
    later.takeRecords(); // of what was done here
  }

  /**
   * Notebook 7 takes its keys on their way down, before any listener of ours, but none at a
   * node with this mark. So it is put there, or taken off, before Notebook 7 hears the key.
   * @param {KeyboardEvent} event
   */
  function markKey(event) {
    const { target } = event;
    if (target instanceof Element && home()?.contains(target)) {
      target.toggleAttribute("data-lm-suppress-shortcuts", isOurs(event));
    }
  }

  function listen(/** @type {HTMLElement} */ explorer) {
    explorer.addEventListener("keydown", keepKey, { signal });
    explorer.addEventListener("keydown", onEnter, { signal, capture: true });
    explorer.addEventListener("focusout", onLeave, { signal });
    explorer.addEventListener("input", onInput, { signal });
    for (const name of ACTS) explorer.addEventListener(name, acted, { signal, capture: true });
  }

  // ── the second row ─────────────────────────────────────────────────────────
  /** Let "More" show the second row of controls, as the reader left it. @param {Element} bar */
  function tendMore(/** @type {HTMLElement} */ explorer, bar) {
    const button = /** @type {HTMLElement | null} */ (bar.querySelector("button.tl-more"));
    if (!button || button.ariaExpanded) return;
    const open = (/** @type {boolean} */ so) => {
      explorer.classList.toggle("tl-open", so);
      put(button, { "aria-expanded": so, text: so ? "Less" : "More" });
    };
    open(kept(MORE + explorerName) === "open");
    button.addEventListener("click", () => {
      open(button.ariaExpanded !== "true");
      keep(MORE + explorerName, button.ariaExpanded === "true" ? "open" : "");
    });
  }

  let left = /** @type {HTMLElement | null} */ (null); // what had the focus when the controls came to rest

  /** Let the controls rest, or no longer. @param {Element} bar @param {boolean} so */
  function rest(bar, so) {
    const { activeElement: at, body } = document;
    if (so && bar.contains(at)) left = /** @type {HTMLElement} */ (at);
    bar.toggleAttribute("inert", so);
    if (so) return;
    if (at === body) left?.focus();
    left = null;
  }

  // ── a number typed beside a slider ─────────────────────────────────────────
  let typedAt = /** @type {Element | null} */ (null); // since it was told
  const readoutOf = (/** @type {Event} */ { target }) => (
    /** @type {HTMLElement} */ (target).closest(".widget-slider .widget-readout"));

  function onEnter(/** @type {KeyboardEvent} */ event) {
    const readout = event.key === "Enter" && !event.shiftKey && readoutOf(event);
    if (!readout) return;
    event.preventDefault();
    event.stopPropagation(); // ipywidgets would read "1,5" as 1
    settle(readout);
  }

  function onInput(/** @type {Event} */ event) {
    typedAt = readoutOf(event);
  }

  function onLeave(/** @type {Event} */ event) {
    const readout = readoutOf(event);
    if (readout) settle(readout);
  }

  /** The number that holds stands there again, until Python has taken what was typed. @param {Element} readout */
  function settle(readout) {
    const slider = readout.closest(".widget-slider");
    const [, name] = /tl-control-(\S+)/.exec(slider?.className ?? "") ?? []; // Python has named it
    const holds = slider?.querySelector(".noUi-handle")?.getAttribute("aria-valuetext") ?? "";
    const text = readout.textContent ?? "";
    const isTold = text === holds && typedAt !== readout; // the same number, typed, lifts a refusal
    typedAt = null;
    if (!name || isTold) return;
    setText(readout, holds);
    take(name, text);
  }

  window.addEventListener("keydown", markKey, { signal, capture: true });
  const later = new MutationObserver(tend);
  const seen = new IntersectionObserver(() => tend());
  seen.observe(root);
  signal.addEventListener("abort", () => [seen, later].forEach((watch) => watch.disconnect()));
  return tend;
}
