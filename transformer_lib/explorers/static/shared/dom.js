// Nodes and texts. What is written is data, never markup: by textContent alone.

/**
 * A new element with classes, a text and attributes.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {string} [name] @param {string} [text] @param {Record<string, unknown>} [more]
 */
export function make(tag, name = "", text = "", more = {}) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text) node.textContent = text;
  for (const [key, value] of Object.entries(more)) node.setAttribute(key, String(value));
  return node;
}

/** One box of an explanation: what stands above, what below, its classes. @returns {Chip} */
export const chip = (/** @type {string} */ above, /** @type {string} */ below, look = "") => [above, below, look];

/** The first cell or bar of a drawing. @param {Frame | undefined} frame @returns {Cell | null} */
export const firstPlace = (frame) => (frame ? { panel: frame.name, row: 0, column: 0 } : null);

/** The cell or bar of a grid that a node belongs to. @param {Element} node @returns {Cell | null} */
export function gridPlace(node) {
  const { panel, row, column } = /** @type {HTMLElement | null} */ (node.closest("[data-row]"))?.dataset ?? {};
  return panel ? { panel, row: Number(row), column: Number(column) } : null;
}

/**
 * Change a text only where it differs, so that an unchanged page costs nothing. In a
 * list every second piece is a name, set apart whatever its direction.
 * @param {Element} node @param {string | string[]} text
 */
export function setText(node, text) {
  const pieces = [text].flat();
  if (node.textContent === pieces.join("")) return;
  node.replaceChildren(...pieces.map((piece, n) => (n % 2 ? make("bdi", "", piece) : piece)));
}

/**
 * The next of n places when one of these keys is pressed, Home or End; null for others.
 * @param {string} key @param {number} at @param {number} n @param {string} back @param {string} forth
 */
export function stepTo(key, at, n, back, forth) {
  const ends = key === "Home" ? 0 : key === "End" ? n - 1 : null;
  const to = back.split(" ").includes(key) ? at - 1 : forth.split(" ").includes(key) ? at + 1 : ends;
  return to === null ? null : Math.max(0, Math.min(n - 1, to));
}

/**
 * Let no key that is pressed here act on the notebook, where x would cut the cell; but
 * what is pressed with Ctrl, Alt or ⌘ is the page's, and Shift+Enter runs the cell.
 * @param {KeyboardEvent} event
 */
export function keepKey(event) {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  const runs = key === "Enter" && shiftKey;
  if (!(ctrlKey || metaKey || altKey || runs || ["Tab", "Escape"].includes(key))) event.stopPropagation();
}
