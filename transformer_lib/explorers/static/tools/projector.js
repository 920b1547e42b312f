// For the front of a classroom: an explorer as large as the screen, all of it or one
// panel; and panels that are covered until the class has said what they will show.

import { make, setText } from "../shared/dom.js";

/** @param {HTMLElement} root a node of the explorer, where it will stand */
export function makeProjector(root) {
  const home = () => /** @type {HTMLElement} */ (root.closest(".tl-explorer") ?? root.parentElement);
  const panels = () => /** @type {HTMLElement[]} */ ([...home().querySelectorAll(".tl-panel")])
    .filter((panel) => panel.isConnected && panel.closest(".tl")?.checkVisibility());
  const title = (/** @type {Element} */ panel) => panel.querySelector("figcaption b")?.textContent ?? "";
  const full = make("button", "", "Full screen", { type: "button", title: "As large as the screen, in large type" });
  const cover = make("button", "tl-of-panels", "Cover", { type: "button" });
  const one = make("select", "tl-of-panels tl-one", "", { "aria-label": "panel to show" });
  one.dataset.lmSuppressShortcuts = "true"; // or JupyterLab takes the arrow keys
  const gone = new AbortController();
  const { signal } = gone;
  /** Which panels are uncovered, by place and title; null where none is covered. @type {Set<string> | null} */
  let open = null;
  const key = (/** @type {HTMLElement} */ panel) => `${panels().indexOf(panel)} ${title(panel)}`;

  // ── as large as the screen ─────────────────────────────────────────────────
  const isFull = () => root.isConnected && home().classList.contains("tl-full");

  async function enter() {
    one.replaceChildren(...["all panels", ...panels().map(title)].map((text) => make("option", "", text)));
    home().classList.add("tl-full");
    setText(full, "Leave full screen");
    try {
      await home().requestFullscreen();
    } catch { // a page in a frame may not: then the explorer fills the window
      home().popover = "manual";
      home().showPopover();
    }
  }

  function leave() {
    if (!isFull()) return;
    home().classList.remove("tl-full");
    setText(full, "Full screen");
    show(-1);
    if (document.fullscreenElement === home()) document.exitFullscreen();
    home().removeAttribute("popover"); // which closes it
    full.focus();
  }

  /** Show one panel alone, or all of them. @param {number} n */
  const show = (n) => panels().forEach((panel, at) => panel.classList.toggle("tl-alone", at === n));

  // ── covered ────────────────────────────────────────────────────────────────
  /** What is covered still: all but the inputs, or where none can be edited but the first. */
  function covered() {
    const [first, ...others] = panels();
    const edited = panels().some((panel) => panel.querySelector(".tl-edit"));
    const isInput = (/** @type {HTMLElement} */ panel) => (edited
      ? panel.querySelector(".tl-edit") : others.length && title(panel) === title(first));
    return panels().filter((panel) => open && !isInput(panel) && !open.has(key(panel)));
  }

  /** Cover what is to be covered, also when a view has built its panels anew. */
  function draw() {
    const now = covered();
    for (const panel of panels()) {
      const veil = panel.querySelector(".tl-veil");
      panel.classList.toggle("tl-veiled", now.includes(panel));
      if (!now.includes(panel)) veil?.remove();
      else if (!veil) panel.append(makeVeil(panel));
    }
    if (open && !now.length) stop();
    setText(cover, open ? `Uncover next (${now.length})` : "Cover");
    cover.title = open ? "Uncover the next panel" : "Cover all panels after the inputs";
  }

  function makeVeil(/** @type {HTMLElement} */ panel) {
    const veil = make("button", "tl-veil", "?", { type: "button", "aria-label": `Uncover ${title(panel)}` });
    veil.addEventListener("click", (event) => {
      event.stopPropagation(); // it chooses nothing
      uncover(panel);
      (/** @type {HTMLElement} */ (covered()[0]?.querySelector(".tl-veil") ?? cover)).focus();
    });
    return veil;
  }

  function uncover(/** @type {HTMLElement} */ panel) {
    open?.add(key(panel));
    draw();
  }

  const watch = new MutationObserver(draw);
  const stop = () => {
    open = null;
    watch.disconnect();
  };

  full.addEventListener("click", () => (isFull() ? leave() : enter()));
  one.addEventListener("change", () => show(one.selectedIndex - 1));
  cover.addEventListener("click", () => {
    if (open) return uncover(covered()[0]);
    open = new Set();
    watch.observe(home(), { childList: true, subtree: true });
    return draw();
  });
  document.addEventListener("fullscreenchange", () => document.fullscreenElement || leave(), { signal });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isFull()) return;
    event.stopPropagation();
    leave();
  }, { signal, capture: true });
  return {
    buttons: [cover, full, one],
    stop() {
      gone.abort();
      stop();
    },
  };
}
