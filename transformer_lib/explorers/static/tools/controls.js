// What ipywidgets' own controls lack: names for their handles, and keys that stay theirs.

import { keepKey } from "../shared/dom.js";

/**
 * A slider's handle has no name: its label becomes one. And an open list keeps its arrow
 * keys, which JupyterLab would take.
 * @param {Element} home
 */
function nameSliders(home) {
  for (const list of home.querySelectorAll("select")) list.dataset.lmSuppressShortcuts = "true";
  for (const slider of home.querySelectorAll(".widget-slider")) {
    const name = slider.querySelector(".widget-label")?.textContent ?? "";
    for (const handle of slider.querySelectorAll(".noUi-handle:not([aria-label])")) handle.ariaLabel = name;
  }
}

/**
 * Look after the controls of the explorer that a node stands in, once it stands there.
 * @param {Element} root
 * @returns rest: nobody hears them any more; stop: the clean-up
 */
export function tendControls(root) {
  /** @type {HTMLElement | null} */
  let home = null;
  let rests = false;
  /** Without an answer a control would only part from the picture. */
  const rest = () => {
    rests = true;
    home?.firstElementChild?.toggleAttribute("inert", true);
  };
  const later = new MutationObserver(() => home && nameSliders(home));
  const seen = new IntersectionObserver(() => {
    if (home) return;
    home = root.closest(".tl-explorer");
    if (!home) return;
    nameSliders(home);
    home.addEventListener("keydown", keepKey);
    if (home.firstElementChild) later.observe(home.firstElementChild, { childList: true, subtree: true });
    if (rests) rest();
  });
  seen.observe(root);
  const stop = () => {
    seen.disconnect();
    later.disconnect();
    home?.removeEventListener("keydown", keepKey);
  };
  return { rest, stop };
}
