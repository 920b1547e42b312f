// How panels that do not fit beside each other wrap: into rows that are about as full as
// each other.

/** Let rows wrap evenly. @param {HTMLElement[]} pictures */
export function arrange(pictures) {
  const groups = pictures.map((picture) => /** @type {HTMLElement[]} */ ([...picture.children]));
  for (const group of groups.flat()) group.style.maxWidth = "";
  // Charts are measured as wide as they are by themselves; other pictures need not change for it.
  const charts = pictures.filter((picture) => picture.querySelector(".tl-grows"));
  for (const picture of charts) picture.classList.add("tl-natural");
  // All are measured before any is changed.
  const limits = groups.map((row, n) => row.map((group) => evenWidth(group, pictures[n].clientWidth)));
  groups.forEach((row, n) => row.forEach((group, m) => {
    group.style.maxWidth = limits[n][m];
    // No line leads up: what comes after a group in several rows stands below it.
    if (pictures[n].matches(".tl-linked")) group.style.marginRight = limits[n][m] && `max(0px, 100% - ${limits[n][m]})`;
  }));
  for (const picture of charts) picture.classList.remove("tl-natural");
  pictures.forEach(tellArranged);
}

/** Its lines may now need more room between its rows. @param {HTMLElement} picture */
export const tellArranged = (picture) => picture.dispatchEvent(new CustomEvent("tl-arranged", { bubbles: true }));

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
