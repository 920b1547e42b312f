// Panels of a row that does not fit wrap into rows that are about as full as each other:
// four become two and two, never three and one.

/** Arrange the rows of panels in a picture. @param {Element} picture */
export function arrange(picture) {
  const groups = /** @type {HTMLElement[]} */ ([...picture.children]);
  for (const group of groups) group.style.maxWidth = "";
  const limits = groups.map((group) => evenWidth(group, picture.clientWidth)); // all are measured before any is changed
  groups.forEach((group, n) => { group.style.maxWidth = limits[n]; });
}

/** The least width at which a row wraps no more often than it must. @param {HTMLElement} group */
function evenWidth(group, /** @type {number} */ room) {
  const gap = parseFloat(getComputedStyle(group).columnGap) || 0;
  const widths = [...group.children].map((box) => /** @type {HTMLElement} */ (box).offsetWidth + 1);
  const rows = rowsIn(widths, gap, room);
  if (rows === 1) return "";
  const enough = [...chunks(widths, gap)].filter((width) => rowsIn(widths, gap, width) <= rows);
  return `${Math.min(...enough, room)}px`;
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
function* chunks(widths, /** @type {number} */ gap) {
  for (let first = 0; first < widths.length; first += 1) {
    let width = -gap;
    for (const one of widths.slice(first)) yield (width += gap + one);
  }
}
