// Drawing in SVG: nodes, lines with gaps, markers, names moved apart. Ten units are one
// em, so that drawings grow with the page's text.

const EM = 10;

/** A node of an SVG with attributes. */
function svg(tag, attributes = {}, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  return node;
}

/** Change attributes only where they differ. */
function put(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
}

/** Make as many children as there are texts, and set text and attributes of each. */
function putTexts(group, tag, all) {
  while (group.children.length > all.length) group.lastChild.remove();
  while (group.children.length < all.length) group.append(svg(tag));
  all.forEach(([attributes, text = ""], n) => {
    put(group.children[n], attributes);
    if (tag === "text") setText(group.children[n], text);
  });
}

/** Where on the page a number lies: [low, high] goes to [from, to]. */
const along = ([low, high], from, to) => (v) => from + ((v - low) / (high - low)) * (to - from);

const place = (v) => v.toFixed(2);

/** A line through these points; where one is no number there is a gap. */
function linePath(points) {
  let pen = "M";
  return points.map(([x, y]) => {
    if (!Number.isFinite(x + y)) { pen = "M"; return ""; }
    const step = `${pen}${place(x)} ${place(y)}`;
    pen = "L";
    return step;
  }).join("");
}

const MARKERS = {
  o: "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
  x: "m-3 -3l6 6m0 -6l-6 6",
  s: "m-2.7 -2.7h5.4v5.4h-5.4z",
  "^": "m0 -3.4l3.3 6h-6.6z",
  D: "m0 -3.6l3.6 3.6l-3.6 3.6l-3.6 -3.6z",
  v: "m0 3.4l3.3 -6h-6.6z",
  "+": "m-3.6 0h7.2m-3.6 -3.6v7.2",
  "*": "m-3.4 0h6.8m-5.1 -3l3.4 6m0 -6l-3.4 6",
};

/** A marker at each point. */
function dotsPath(points, marker) {
  const there = points.filter(([x, y]) => Number.isFinite(x + y));
  return there.map(([x, y]) => `M${place(x)} ${place(y)}${MARKERS[marker]}`).join("");
}

/** Move heights apart until neighbours differ by `least`; as `apart` in plots. */
function apart(heights, least) {
  const order = heights.map((_, n) => n).sort((a, b) => heights[a] - heights[b]);
  const placed = order.map((n) => heights[n]);
  for (let turn = 0; turn < 60; turn += 1) {
    for (let n = 1; n < placed.length; n += 1) {
      const short = least - (placed[n] - placed[n - 1]);
      if (short > 1e-9) { placed[n - 1] -= short / 2; placed[n] += short / 2; }
    }
  }
  const result = [];
  order.forEach((n, k) => { result[n] = placed[k]; });
  return result;
}
