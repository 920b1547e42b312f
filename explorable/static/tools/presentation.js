// For the front of a classroom: an explorer that fills the screen, all of it or one
// panel; and panels that are covered until the class has said what they will show.

import { make, makeButton } from "../shared/dom.js";
import { makeIcon, setIcon } from "./icons.js";

const ALL = "all panels but the inputs";

/**
 * The buttons for that.
 * @param {Element} root what will stand in the explorer @param {AbortSignal} signal
 * @param {() => void} lay lays it out
 */
export function makePresentation(root, signal, lay) {
  const home = () => /** @type {HTMLElement} */ (root.closest(".tl-explorer") ?? root.parentElement);
  const panels = () => /** @type {HTMLElement[]} */ ([...home().querySelectorAll(".tl-panel")])
    .filter((panel) => panel.isConnected && panel.closest(".tl")?.checkVisibility());
  const title = (/** @type {Element} */ panel) => panel.querySelector("figcaption b")?.textContent ?? "";
  const full = makeIcon("Full screen", "", () => (isFull() ? leave() : enter()));
  const cover = makeIcon("Cover", ALL, () => uncover(covered()[0]));
  cover.classList.add("tl-of-panels");
  // With the attribute, or JupyterLab takes the arrow keys.
  const listed = { "aria-label": "panel to show" };
  const one = make("select", "tl-of-panels tl-one", listed);
  /** Which panels are uncovered, by place and title; null: none is covered. @type {Set<string> | null} */
  let open = null;
  const key = (/** @type {HTMLElement} */ panel) => `${panels().indexOf(panel)} ${title(panel)}`;

  // ── as large as the screen ─────────────────────────────────────────────────
  const isFull = () => root.isConnected && home().classList.contains("tl-full");

  let top = 0; // of the explorer in the window, before it filled that

  async function enter() {
    top = home().getBoundingClientRect().top;
    one.replaceChildren(...["all panels", ...panels().map(title)].map((text) => make("option", "", text)));
    home().classList.add("tl-full");
    setIcon(full, "Leave full screen", "Escape");
    try {
      await home().requestFullscreen();
    } catch { // a page in a frame may not: then the explorer fills the window
      home().popover = "manual";
      home().showPopover();
    }
    lay();
  }

  function leave() {
    if (!isFull()) return;
    home().classList.remove("tl-full");
    setIcon(full, "Full screen", "");
    show(-1);
    if (document.fullscreenElement === home()) document.exitFullscreen();
    home().removeAttribute("popover"); // which closes it
    lay();
    full.focus({ preventScroll: true });
    // The window has its size again, and other explorers are laid out for it.
    requestAnimationFrame(() => requestAnimationFrame(comeBack));
  }

  /** Scroll what scrolls, so that the explorer stands where it stood. */
  function comeBack() {
    for (let at = home().parentElement; at; at = at.parentElement) {
      at.scrollTop += home().getBoundingClientRect().top - top;
    }
  }

  /** Show one panel alone, or all of them. @param {number} n */
  function show(n) {
    panels().forEach((panel, at) => panel.classList.toggle("tl-alone", at === n));
    if (isFull()) lay();
  }

  // ── covered ────────────────────────────────────────────────────────────────
  /** What is covered still: all but the inputs, which are what can be edited. */
  const covered = () => panels().filter((panel) => (
    open && !panel.querySelector(".tl-edit") && !open.has(key(panel))));

  /** Cover what is to be covered, also when a view has rebuilt its panels. */
  function draw() {
    const now = covered();
    for (const panel of panels()) {
      const veil = panel.querySelector(".tl-veil");
      panel.classList.toggle("tl-veiled", now.includes(panel));
      if (!now.includes(panel)) veil?.remove();
      else if (!veil) panel.append(makeVeil(panel));
    }
    if (!now.length) open = null;
    if (!open) watch.disconnect();
    document.dispatchEvent(new CustomEvent("tl-cover")); // what is covered is not explained
    if (open) setIcon(cover, "Uncover next", "", ` (${now.length})`);
    else setIcon(cover, "Cover", ALL);
  }

  function makeVeil(/** @type {HTMLElement} */ panel) {
    return makeButton("?", (event) => {
      event.stopPropagation(); // it chooses nothing
      uncover(panel);
      (/** @type {HTMLElement} */ (covered()[0]?.querySelector(".tl-veil") ?? cover)).focus();
    }, { class: "tl-veil", "aria-label": `Uncover ${title(panel)}` });
  }

  /** Uncover a panel, or first cover them. @param {HTMLElement} panel */
  function uncover(panel) {
    open?.add(key(panel));
    open ??= new Set();
    watch.observe(home(), { childList: true, subtree: true });
    draw();
  }

  const watch = new MutationObserver(draw);
  signal.addEventListener("abort", () => watch.disconnect());
  one.addEventListener("change", () => show(one.selectedIndex - 1));
  document.addEventListener("fullscreenchange", () => document.fullscreenElement || leave(), { signal });
  /** Whether Escape goes to an open editor, the copied numbers or a pin first. @param {EventTarget | null} target */
  const isAwaited = (target) => target instanceof Element && Boolean(target.closest(".tl-editor, .tl-shown")
    ?? target.closest("[data-panel]")?.closest(".tl")?.querySelector(".tl-pinned"));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isFull() || isAwaited(event.target)) return;
    event.stopPropagation();
    leave();
  }, { signal, capture: true });
  return [cover, full, one];
}
