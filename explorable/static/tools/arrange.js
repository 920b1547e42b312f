// How panels that do not fit beside each other wrap: into rows that are about as full as
// each other, and whose panels begin in common columns.

const NEAR = 48; // pixels of the page: how far a panel moves to stand below another, at most

/** Let rows wrap evenly. @param {HTMLElement[]} pictures */
export function arrange(pictures) {
  const groups = pictures.map((picture) => /** @type {HTMLElement[]} */ ([...picture.children]));
  for (const group of groups.flat()) group.style.maxWidth = "";
  for (const panel of groups.flat().flatMap(panelsOf)) panel.style.marginLeft = "";
  // Charts are measured as wide as they are by themselves; other pictures need not change for it.
  const charts = pictures.filter((picture) => picture.querySelector(".tl-grows"));
  for (const picture of charts) picture.classList.add("tl-natural");
  // All are measured before any is changed.
  const limits = groups.map((row, n) => row.map((group) => evenWidth(group, pictures[n].clientWidth)));
  groups.forEach((row, n) => row.forEach((group, m) => {
    setLimit(group, limits[n][m]);
  }));
  for (const picture of charts) picture.classList.remove("tl-natural");
  pictures.forEach(tellArranged);
}

const panelsOf = (/** @type {Element} */ group) => /** @type {HTMLElement[]} */ ([...group.children]);

/** Let a group be so wide at most, "" for any width. @param {HTMLElement} group @param {string} width */
function setLimit(group, width) {
  group.style.maxWidth = width;
  // No line leads up: what comes after a group in several rows stands below it.
  if (group.closest(".tl-linked")) group.style.marginRight = width && `max(0px, 100% - ${width})`;
}

/** Move panels that nearly stand below each other, so that they do. @param {HTMLElement} picture */
export function alignColumns(picture) {
  const groups = panelsOf(picture);
  const panels = groups.flatMap(panelsOf).filter((panel) => panel.offsetWidth);
  const boxes = panels.map((panel) => panel.getBoundingClientRect());
  const tops = [...new Set(boxes.map(({ top }) => Math.round(top)))];
  if (tops.length < 2) return;
  const rows = tops.map((top) => [...panels.keys()].filter((n) => Math.round(boxes[n].top) === top));
  const moves = movesOf(rows.map((row) => row.map((n) => boxes[n])), picture.getBoundingClientRect().right);
  const zoom = picture.currentCSSZoom;
  const widths = groups.map((group) => group.style.maxWidth);
  rows.flat().forEach((n, at) => { panels[n].style.marginLeft = moves[at] ? `${moves[at] / zoom}px` : ""; });
  groups.forEach((group, n) => {
    const most = Math.max(...rows.map((row) => row.reduce((sum, m) => (
      sum + (group.contains(panels[m]) ? parseFloat(panels[m].style.marginLeft) || 0 : 0)), 0)));
    if (widths[n] && most) setLimit(group, `${parseFloat(widths[n]) + most}px`);
  });
  if (panels.some((panel, n) => Math.abs(panel.getBoundingClientRect().top - boxes[n].top) > 1)) { // one wraps
    for (const panel of panels) panel.style.marginLeft = "";
    groups.forEach((group, n) => setLimit(group, widths[n]));
  }
  tellArranged(picture);
}

/**
 * How far to the right each panel moves of itself, row after row; those after it move with it.
 * @param {DOMRect[][]} rows @param {number} edge
 */
function movesOf(rows, edge) {
  const moves = rows.map((row) => row.map(() => 0));
  const [shifts, next] = [rows.map(() => 0), rows.map(() => 0)];
  for (;;) {
    const open = [...rows.keys()].filter((n) => next[n] < rows[n].length);
    if (!open.length) return moves.flat();
    const begins = (/** @type {number} */ n) => rows[n][next[n]].left + shifts[n];
    const first = Math.min(...open.map(begins));
    const column = open.filter((n) => begins(n) <= first + NEAR);
    const left = Math.max(...column.map(begins));
    for (const n of column) {
      const more = left - begins(n);
      const isFree = (rows[n].at(-1)?.right ?? 0) + shifts[n] + more <= edge;
      if (more > 0.5 && isFree) {
        moves[n][next[n]] = more;
        shifts[n] += more;
      }
      next[n] += 1;
    }
  }
}

/** Its lines may now need more room between its rows. @param {HTMLElement} picture */
export const tellArranged = (picture) => picture.dispatchEvent(new CustomEvent("tl-arranged", { bubbles: true }));

/** Whether the lines of a row hold as many panels as each other. @param {Element} group */
export function breaksEvenly(group) {
  const tops = [...group.children].map((panel) => Math.round(panel.getBoundingClientRect().top));
  return new Set(tops.map((top) => tops.filter((other) => other === top).length)).size <= 1;
}

/** The least width at which a row wraps no more often than it must. @param {HTMLElement} group */
function evenWidth(group, /** @type {number} */ room) {
  const gap = parseFloat(getComputedStyle(group).columnGap) || 0;
  const widths = [...group.children].map((box) => /** @type {HTMLElement} */ (box).offsetWidth);
  const rounded = widths.length; // each width is, by half a pixel at most
  const rows = rowsIn(widths, gap, room + rounded);
  if (rows === 1) return "";
  const enough = [...runs(widths, gap)].filter((width) => rowsIn(widths, gap, width) <= rows);
  return `${Math.min(...enough) + rounded}px`;
}

/** How many rows so wide the boxes take, one after another. @param {number[]} widths */
function rowsIn(widths, /** @type {number} */ gap, /** @type {number} */ limit) {
  let [rows, used] = [1, 0];
  for (const width of widths) {
    const next = used ? used + gap + width : width;
    if (next > limit && used) [rows, used] = [rows + 1, width];
    else used = next;
  }
  return rows;
}

/** The widths of all runs of boxes. @param {number[]} widths */
function* runs(widths, /** @type {number} */ gap) {
  for (let first = 0; first < widths.length; first += 1) {
    let width = -gap;
    for (const one of widths.slice(first)) yield (width += gap + one);
  }
}

/** The height of the window, or of what scrolls in it. @param {Element} node */
export function roomOf(node) {
  for (let at = node.parentElement; at; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight) return at.clientHeight;
  }
  return window.innerHeight;
}
