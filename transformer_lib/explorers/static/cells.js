// The cells and the headers of a table: made once, changed in place.

const WORDLESS = { tiny: 1.3, minute: 0.9, fine: 0.7 }; // cells without numbers: em a side

/** A row's or a column's name. */
function header(label, scope) {
  const th = make("th", "", label || "·");
  th.scope = scope;
  th.title = label;
  return th;
}

/** Give the rows and columns of a panel that is built their names, as they are now. */
function relabel(p, { rows, columns }) {
  const heads = [...p.cells.map(([td]) => td.previousSibling), ...p.heads];
  [...rows, ...columns].forEach((label, n) => {
    if (heads[n].title === label) return;
    setText(heads[n], label || "·");
    heads[n].title = label;
  });
  Object.assign(p, { rows, columns });
  p.box.style.setProperty("--cell", cellWidth(p));
}

/** How wide a cell is: as wide as its numbers and, in a small table, its labels need. */
function cellWidth(p) {
  const most = Math.max(p.rows.length, p.columns.length);
  if (p.size === "fine") return `${Math.max(WORDLESS.fine, Math.min(1.1, 45 / most))}em`;
  if (p.wordless) return `${WORDLESS[p.size]}em`;
  const longest = Math.max(...p.columns.map((label) => label.length));
  const label = p.columns.length > 7 ? 0 : Math.min(12, longest);
  return `${Math.max(0.58 * p.room, 0.46 * label) + 0.5}em`;
}

/** A page of thousands of cells follows a slider because most are left alone. */
function paint(td, p, x, hidden) {
  if (Object.is(td.x, x) && td.hides === hidden && td.limit === p.limit) return;
  const look = [hidden ? "tl-hidden" : shade(p.palette, x, p.limit)];
  if (x === 0 && !hidden) look.push("tl-zero");
  if (Number.isNaN(x)) look.push("tl-nan");
  if (hidden && !p.veil) look.push("tl-says");
  if (look.join() !== td.look?.join()) {
    if (td.look) td.classList.remove(...td.look);
    td.classList.add(...(td.look = look));
  }
  if (!Object.is(td.x, x) || td.hides !== hidden) say(td, p, cellText(p, x, hidden));
  Object.assign(td, { x, hides: hidden, limit: p.limit });
}

/** A small cell has no room for its number: it says it, and layout is spared. */
function say(td, p, text) {
  if (text === td.says) return;
  td.says = text;
  if (p.wordless) {
    td.ariaLabel = text;
    return;
  }
  td.firstChild.textContent = text;
  const tight = text.length > p.room ? `${(p.room / text.length).toFixed(2)}em` : "";
  if (td.tight !== tight) td.firstChild.style.fontSize = td.tight = tight;
}

/** The heading of a panel becomes a button that chooses it. */
function makeChooser(p, head) {
  const button = make("button", "tl-chooser", p.title);
  button.type = "button";
  button.dataset.chooses = p.name;
  head.querySelector("b").replaceChildren(button);
}

/** Mark the panel that is chosen now. */
function showChosen(p) {
  p.box.classList.toggle("tl-chosen", p.chosen);
  p.box.querySelector(".tl-chooser").setAttribute("aria-pressed", String(p.chosen));
}
