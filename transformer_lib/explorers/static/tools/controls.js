// What ipywidgets' own controls lack: names for their handles, and keys that stay theirs.

import { keepKey } from "../shared/dom.js";

/**
 * A slider's handle has no name: its label becomes one. And an open list keeps its arrow
 * keys, which JupyterLab would take.
 * @param {Element} bar
 */
function nameControls(bar) {
  for (const list of bar.querySelectorAll("select")) list.dataset.lmSuppressShortcuts = "true";
  for (const handle of bar.querySelectorAll(".noUi-handle:not([aria-label])")) {
    handle.ariaLabel = handle.closest(".widget-slider")?.querySelector(".widget-label")?.textContent ?? "";
  }
}

/**
 * Look after the controls of the explorer that a node stands in, once it stands there.
 * @param {Element} root
 */
export function tendControls(root) {
  let rests = false;
  let home = /** @type {HTMLElement | null} */ (null);
  let bar = /** @type {Element | null | undefined} */ (null);
  const later = new MutationObserver(() => bar && nameControls(bar));
  const seen = new IntersectionObserver(() => {
    home ??= root.closest(".tl-explorer");
    if (!home || bar) return;
    bar = home.firstElementChild ?? home;
    nameControls(bar);
    bar.toggleAttribute("inert", rests);
    later.observe(bar, { childList: true, subtree: true });
    home.addEventListener("keydown", keepKey);
  });
  seen.observe(root);
  return {
    /** Nobody answers any more: a control would only part from the picture. */
    rest() {
      rests = true;
      bar?.toggleAttribute("inert", true);
    },
    stop() {
      seen.disconnect();
      later.disconnect();
      home?.removeEventListener("keydown", keepKey);
    },
  };
}
