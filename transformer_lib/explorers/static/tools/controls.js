// What ipywidgets' own controls lack: names for their handles, and keys that stay theirs.

/**
 * Let no key that is pressed here act on the notebook, where x would cut the cell; but
 * what is pressed with Ctrl, Alt or ⌘ is the page's, and Shift+Enter runs the cell.
 * @param {KeyboardEvent} event
 */
function keepKey(event) {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  const runs = key === "Enter" && shiftKey;
  if (!(ctrlKey || metaKey || altKey || runs || ["Tab", "Escape"].includes(key))) event.stopPropagation();
}

/**
 * Look after the controls of the explorer that a node stands in, once it stands there. A
 * slider's handle has no name: its label becomes one. An open list keeps its arrow keys,
 * which JupyterLab would take. And a control that nobody answers rests: it would only
 * part from the picture.
 * @param {Element} root @param {() => boolean} alive @param {AbortSignal} signal
 */
export function tendControls(root, alive, signal) {
  function tend() {
    const home = /** @type {HTMLElement | null} */ (root.closest(".tl-explorer"));
    const bar = home?.firstElementChild;
    if (!bar) return;
    bar.toggleAttribute("inert", !alive());
    for (const list of bar.querySelectorAll("select")) list.dataset.lmSuppressShortcuts = "true";
    for (const handle of bar.querySelectorAll(".noUi-handle:not([aria-label])")) {
      handle.ariaLabel = handle.closest(".widget-slider")?.querySelector(".widget-label")?.textContent ?? "";
    }
    home.addEventListener("keydown", keepKey, { signal });
    later.observe(bar, { childList: true, subtree: true });
  }
  const later = new MutationObserver(tend);
  const seen = new IntersectionObserver(tend);
  seen.observe(root);
  signal.addEventListener("abort", () => [seen, later].forEach((watch) => watch.disconnect()));
  return tend;
}
