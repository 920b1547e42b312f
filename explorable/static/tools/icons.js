// The tools are icons: they stand beside the title of every explorer. Each has its name for
// whoever hears the page, and says it, and what it does, when it is pointed at.

import { make, makeButton, put, setText } from "../shared/dom.js";
import { svg } from "../shared/svg.js";

/** @type {Record<string, string>} */
const PATHS = {
  "Copy numbers": "M6 6h7.5v7.5h-7.5zM10 6v-3.5h-7.5v7.5h3.5",
  "Save picture": "M8 2.5v7.5m-3 -3l3 3l3 -3M2.5 10.5v3h11v-3",
  Cover: "M1.5 8q6.5 -8 13 0q-6.5 8 -13 0zM2.5 13.5l11 -11",
  "Uncover next": "M1.5 8q6.5 -8 13 0q-6.5 8 -13 0zM6.25 8a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0 -3.5 0",
  "Full screen": "M2.5 6v-3.5h3.5M10 2.5h3.5v3.5M13.5 10v3.5h-3.5M6 13.5h-3.5v-3.5",
  "Leave full screen": "M6 2.5v3.5h-3.5M13.5 6h-3.5v-3.5M10 13.5v-3.5h3.5M2.5 10h3.5v3.5",
};

/** @param {string} name of a path @param {string} does @param {(event: Event) => void} act */
export function makeIcon(name, does, act) {
  const path = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path"));
  const button = makeButton("", act, { class: "tl-icon" });
  button.append(path, make("span", "tl-unseen"));
  setIcon(button, name, does);
  return button;
}

/** Let a button be another tool. @param {Element} button @param {string} name */
export function setIcon(button, name, /** @type {string} */ does, more = "") {
  const [icon, said] = button.children;
  put(icon.children[0], { d: PATHS[name] });
  setText(said, name + more);
  put(button, { title: [name + more, does].filter(Boolean).join(": ") });
}
