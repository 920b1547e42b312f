// LinksView: queries at the left, keys at the right, and weights as lines between them.
//
// Traits: those of View in views.py; what is drawn is in Links, links.py. A place has a
// row (the query in view) or a column (the key), null for neither; a place that comes
// from another view may have both. Nothing is computed here.

const NONE = { row: null, column: null };

function render({ model, el }) {
  const stage = makeStage(model, el);
  const { root, picture } = stage;
  let drawn = null, views = {}, arrays = {}, focus = null, also = null;
  const endAt = ({ panel, row, column }) => views[panel]?.[row === null ? "keys" : "queries"][row ?? column];
  const held = makePin(model, endAt, (place) => { share(place); explain(); });

  // ── building: once for a set of drawings ───────────────────────────────────
  function build() {
    views = {};
    drawn = JSON.stringify(model.get("panels"));
    focus = also = null;
    buildGroups(model, picture, buildLinks);
  }

  function buildLinks(p) {
    const { box, formula, note } = makeBox(p);
    const body = make("div", `tl-links${Math.max(p.rows.length, p.columns.length) > 24 ? " tl-many" : ""}`);
    body.style.setProperty("--lines", Math.max(p.rows.length, p.columns.length));
    body.style.setProperty("--word", `${wide(p)}em`);
    body.setAttribute("role", "group");
    body.setAttribute("aria-label", `${p.title}: ${p.axes[0]} at the left, ${p.axes[1]} at the right`);
    const queries = p.rows.map((word, n) => buildEnd(p, word, "row", n));
    const keys = p.columns.map((word, n) => buildEnd(p, word, "column", n));
    const [drawn, lines] = makeLinks(p);
    body.append(side(p.axes[0], "query", queries), drawn, side(p.axes[1], "key", keys));
    note.before(body);
    queries[0].button.tabIndex = 0;
    views[p.name] = { ...p, queries, keys, svg: drawn, lines, body, heading: formula, foot: note };
    return box;
  }

  const wide = ({ rows, columns }) => 1.4 + 0.55 * Math.min(12, Math.max(...[...rows, ...columns].map((w) => w.length)));

  /** One word: a button, and beside it the place for its number. */
  function buildEnd(p, word, side, n) {
    const line = make("div", "tl-end");
    const button = make("button", "", word || "·");
    const number = make("span", "tl-weight");
    Object.assign(button, { type: "button", title: word, tabIndex: -1 });
    Object.assign(button.dataset, { panel: p.name, side, n });
    line.append(...(side === "row" ? [number, button] : [button, number]));
    return { line, button, number };
  }

  function side(axis, role, ends) {
    const column = make("div", `tl-side of-${role}`);
    column.append(make("div", "tl-axis", axis), ...ends.map(({ line }) => line));
    return column;
  }

  // ── drawing: in place, whenever a number changes ───────────────────────────
  function draw() {
    if (!model.get("layout_of").length) return;
    arrays = decode(model);
    if (JSON.stringify(model.get("panels")) !== drawn) build();
    stage.say(model.get("message"));
    for (const p of Object.values(views)) {
      Object.assign(p, model.get("live")[p.name]);
      p.lines.forEach((row, r) => row.forEach((path, c) => paintLine(path, weight(p, r, c), masked(p, r, c))));
      p.svg.setAttribute("aria-label", inWords(p));
      setText(p.heading, p.formula);
      setText(p.foot, p.note);
    }
    explain();
  }
  const weight = (p, r, c) => arrays[p.name].at[r * p.columns.length + c];
  const masked = (p, r, c) => Boolean(arrays[`${p.name}.hidden`]?.at[r * p.columns.length + c]);

  /** What the lines say, for those who do not see them: each query's largest weight. */
  function inWords(p) {
    return p.rows.map((word, r) => {
      const open = p.columns.map((_, c) => c).filter((c) => !masked(p, r, c));
      if (!open.length) return `${word}: all hidden`;
      const top = open.reduce((a, b) => (weight(p, r, b) > weight(p, r, a) ? b : a));
      return `${word} most to ${p.columns[top]}, ${number(weight(p, r, top), p.digits)}`;
    }).join("; ");
  }

  // ── explaining: the lines of the word in view, and its numbers ─────────────
  /** What is in view: the pin, else what is pointed at, else what another view shows. */
  const inView = () => held.now() ?? focus ?? NONE;

  function explain() {
    const at = inView();
    for (const p of Object.values(views)) {
      const here = at.panel === p.name ? at : also && also.shares === p.shares ? also : NONE;
      show(p, here);
      if (at.panel === p.name || (!at.panel && p === Object.values(views)[0])) tell(p, here, at);
    }
  }

  /** Show the lines of a place; a query's come first where there is a key as well. */
  function show(p, { row, column }) {
    const all = row === null && column === null;
    p.body.classList.toggle("tl-some", !all);
    p.lines.forEach((paths, r) => paths.forEach((path, c) => {
      path.classList.toggle("tl-on", row === null ? c === column : r === row);
    }));
    const mark = (end, on, link) => {
      end.line.classList.toggle("tl-now", on);
      const [r, c] = link ?? [];
      const off = link && masked(p, r, c);
      setText(end.number, !link ? "" : off ? "hidden" : number(weight(p, r, c), p.digits));
      end.number.className = `tl-weight${!link ? "" : off ? " tl-hidden" : ` ${shade(p.palette, weight(p, r, c), 1)}`}`;
      const pinned = on && link === null && samePin(end.button.dataset);
      end.button.setAttribute("aria-pressed", String(pinned));
      end.line.classList.toggle("tl-pinned", pinned);
    };
    p.queries.forEach((end, r) => mark(end, r === row, row === null && column !== null ? [r, column] : null));
    p.keys.forEach((end, c) => mark(end, c === column, row !== null ? [row, c] : null));
  }

  /** Say in words what is in view, with the largest weights as boxes. */
  function tell(p, { row, column }, at) {
    if (row === null && column === null) {
      stage.about(p.all_of_it, {});
      fill(stage.sum, []);
      stage.hint("Arrow keys: move. Click or Space: pin.");
      return;
    }
    const word = row === null ? p.columns[column] : p.rows[row];
    const links = row === null ? p.rows.map((w, r) => [w, r, column]) : p.columns.map((w, c) => [w, row, c]);
    const open = links.filter(([, r, c]) => !masked(p, r, c)).sort((a, b) => weight(p, b[1], b[2]) - weight(p, a[1], a[2]));
    stage.about(row === null ? p.back : p.sentence, { word });
    const boxes = open.slice(0, 6).map(([w, r, c]) => [w, number(weight(p, r, c), p.digits)]);
    const [rest, off] = [open.length - boxes.length, links.length - open.length];
    if (rest) boxes.push(["smaller", String(rest), "tl-none"]);
    if (off) boxes.push(["hidden", String(off), "tl-none"]);
    fill(stage.sum, boxes);
    stage.hint(held.now() ? PINNED : "Arrow keys: move. Click or Space: pin. Escape: all lines.");
  }

  // ── moving: mouse and keyboard alike ───────────────────────────────────────
  const placeOf = (node) => {
    const button = node?.closest?.(".tl-end")?.querySelector("button");
    if (!button || !root.contains(button)) return null;
    const { panel, side, n } = button.dataset;
    return { panel, ...NONE, [side]: +n };
  };
  const samePin = ({ panel, side, n }) => samePlace(held.now(), { panel, ...NONE, [side]: +n });

  function look(place) {
    if (!place || samePlace(place, focus)) return;
    focus = place;
    also = null;
    if (held.now()) return;
    explain();
    share(place);
  }
  function share({ panel, row, column }) {
    const shares = views[panel]?.shares;
    if (shares) also = { shares, row, column };
    stage.share({ shares, row, column });
  }
  /** Show every line again, here and where the place was shared. */
  function rest() {
    if (!focus) return;
    const { panel } = focus;
    focus = also = null;
    if (held.now()) return;
    explain();
    share({ panel, ...NONE });
  }

  function onKey(event) {
    const button = event.target.closest("button[data-panel]");
    if (!button) return;
    const { panel, side, n } = button.dataset;
    const p = views[panel];
    const ends = side === "row" ? p.queries : p.keys;
    const next = stepTo(event.key, +n, ends.length, "ArrowUp", "ArrowDown");
    const over = { ArrowLeft: p.queries, ArrowRight: p.keys }[event.key];
    if (event.key === "Escape") {
      held.letGo();
      rest();
    } else if (next !== null) go(p, ends[next]);
    else if (over) go(p, over[Math.min(+n, over.length - 1)]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  const go = (p, end) => focusOne([...p.queries, ...p.keys].map(({ button }) => button), end.button);
  function onClick(event) {
    const place = placeOf(event.target);
    if (!place) return;
    go(views[place.panel], endAt(place));
    look(place);
    held.turn(place);
  }

  const leave = () => {
    if (!root.contains(document.activeElement)) rest();
  };
  const out = ({ relatedTarget }) => {
    if (!root.contains(relatedTarget)) rest();
  };
  root.addEventListener("pointerleave", leave);
  root.addEventListener("focusout", out);
  stage.listen({
    reach: (node) => look(placeOf(node)),
    key: onKey,
    click: onClick,
    also(place) {
      also = place;
      focus = null;
      if (!held.now()) explain();
    },
    change: draw,
  });
  draw();
  return () => stage.stop();
}

export default { render };
