// Nodes and texts, made once and changed in place. What is written is data, never markup:
// it stands in text nodes and in attributes alone.

/**
 * A new element: its classes, and its attributes, its text and its nodes; "" and null are none.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {string} [name] @param {Content[]} contents
 */
export function make(tag, name = "", ...contents) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  for (const one of contents) {
    if (one instanceof Node) node.append(one);
    else if (one) put(node, typeof one === "string" ? { text: one } : one);
  }
  return node;
}

/** Change attributes only where they differ; `text` is what a node says. @param {Element} node */
export function put(node, /** @type {Attributes} */ { text, ...attributes }) {
  for (const [name, value] of Object.entries(attributes)) {
    if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
  }
  if (text !== undefined) setText(node, String(text));
}

/** Let a node have a child for each of these, and set them. @param {() => Element} one makes a child */
export function putAll(/** @type {Element} */ home, one, /** @type {Attributes[]} */ all) {
  while (home.children.length > all.length) home.children[all.length].remove();
  while (home.children.length < all.length) home.append(one());
  all.forEach((attributes, n) => put(home.children[n], attributes));
}

/** Change a text only where it differs, so that an unchanged page costs nothing. @param {Node} node */
export function setText(node, /** @type {string} */ text) {
  if (node.textContent === text) return;
  const inside = node.firstChild;
  if (/[_^]/.test(text)) /** @type {Element} */ (node).replaceChildren(...typeset(text, node instanceof SVGElement));
  else if (text && inside instanceof Text && inside === node.lastChild) inside.data = text; // which costs less
  else node.textContent = text;
}

// As in plots/lettering.py: d_k, W_Q, d_model; and 2^n, 10^(n+1).
const INDEX = new RegExp([
  String.raw`(?<=(?<![\p{L}\p{N}_])\p{L})_(model|ff|\p{L}|\d\d?)(?![\p{L}\p{N}_])`,
  String.raw`(?<=[\p{L}\p{N})])\^(?:\(([^()]*)\)|([\p{L}\p{N}]+))`,
].join("|"), "gu");
const DROP = { sub: 3, sup: -4 }; // units of an SVG

/**
 * A text with its indices and powers set as such. Their signs are not seen: they are there
 * to be found, to be copied, and to be read aloud.
 * @param {string} text @param {boolean} isSvg whether the nodes stand in an SVG
 */
export function typeset(text, isSvg = false) {
  const nodes = /** @type {(Node | string)[]} */ ([]);
  let [end, drop] = [0, 0];
  /** @param {"sub" | "sup" | "span"} tag @param {string} name @param {(Node | string)[]} inside */
  const add = (tag, name, inside, shift = 0) => {
    const node = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", "tspan") : make(tag);
    if (name) put(node, { class: name });
    if (isSvg && shift !== drop) put(node, { dy: shift - drop });
    drop = shift;
    node.append(...inside);
    nodes.push(node);
  };
  const plain = (/** @type {string} */ words) => {
    if (drop && words) add("span", "", [words]); // back on the line
    else nodes.push(words);
  };
  for (const { 0: all, 1: below, 2: within, 3: above, index } of text.matchAll(INDEX)) {
    plain(text.slice(end, index));
    end = index + all.length;
    add("span", "tl-unwritten", [within === undefined ? all[0] : "^("], drop);
    const inside = below ?? within ?? above;
    const tag = below === undefined ? "sup" : "sub";
    add(tag, "tl-index", isSvg ? [inside] : typeset(inside), DROP[tag]);
    if (within !== undefined) add("span", "tl-unwritten", [")"], drop);
  }
  plain(text.slice(end));
  return nodes;
}

/** How a text is cut: two letters, or three that are not wide, fit anywhere; a cut takes time. @param {string} text */
export const cut = (text) => (/^(?:[ -ſ]{0,2}|[0-9A-LN-VX-Za-ln-z]{3})$/.test(text) ? "tl-whole" : "tl-cut");

/** A button, and what it does. @param {string} text @param {(event: Event) => void} act */
export function makeButton(text, act, /** @type {Attributes} */ more = {}) {
  const button = make("button", "", text, more);
  button.addEventListener("click", act);
  return button;
}

/** One box of an explanation. @type {(...chip: Chip) => Chip} */
export const chip = (...all) => all;

/** The next of n places when one of these keys is pressed, Home or End; null for others. @type {StepTo} */
export function stepTo(key, at, n, back, forth) {
  const ends = key === "Home" ? 0 : key === "End" ? n - 1 : null;
  const to = back.split(" ").includes(key) ? at - 1 : forth.split(" ").includes(key) ? at + 1 : ends;
  return to === null ? null : Math.max(0, Math.min(n - 1, to));
}
