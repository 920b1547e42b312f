// The inks of a picture: to choose one of, or to read what its colors mean.

import { make, put, stepTo } from "../../static/shared/dom.js";

/** An ink in the page: its color and its name; how dark a gray is one sees. @param {Ink} ink @param {string} look */
const inside = ({ name, color }, look = "tl-cut") => [
  make("i", "tl-swatch", { style: `background: ${color}` }), make("bdi", look, name, { title: name })];

/** Where nothing can be painted: what the colors mean. @param {PixelGrid} frame @returns {InkKey | null} */
function makeLegend({ colors, rgb, inks }) {
  if (!colors.length || rgb) return null;
  const node = make("div", "tl-inks", ...inks.map((ink) => make("span", "tl-ink", ...inside(ink))));
  return { node, chosen: () => 0 };
}

/** @param {PixelGrid} frame @returns {InkKey | null} */
export function makeKey(frame) {
  const { title, inks, colors, editable } = frame;
  if (!editable) return makeLegend(frame);
  let chosen = inks.length - 1;
  const buttons = inks.map((ink, n) => {
    const named = { role: "radio", title: n < 10 ? `${ink.name} (key ${n})` : ink.name };
    const button = make("button", "tl-ink", named, ...inside(ink, colors.length ? "tl-cut" : "tl-unseen"));
    button.addEventListener("click", () => choose(n));
    return button;
  });
  const node = make("div", "tl-inks", { role: "radiogroup", "aria-label": `ink for ${title}` }, ...buttons);

  function choose(/** @type {number} */ n) {
    chosen = n;
    buttons.forEach((button, at) => put(button, { "aria-checked": at === n, tabindex: at === n ? 0 : -1 }));
  }

  node.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = stepTo(event.key, chosen, inks.length, "ArrowLeft ArrowUp", "ArrowRight ArrowDown");
    if (to === null) return;
    choose(to);
    buttons[to].focus();
    event.preventDefault();
    event.stopPropagation();
  });
  choose(chosen);
  return { node, chosen: () => chosen };
}
