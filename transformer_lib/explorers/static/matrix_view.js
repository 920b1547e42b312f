// MatrixView: heat maps whose cells can be read, hovered, focused, pinned and edited.
//
// Traits: those of View in views.py; what is drawn is in Panel, panel.py. A place that
// is shared has a row and a column; null stands for all of them.
// Nothing is computed here. The other files of MatrixView in views.py stand above.

function render({ model, el }) {
  const id = Math.random().toString(36).slice(2);
  const stage = makeStage(model, el);
  const { root, picture } = stage;

  let arrays = {}, panels = {}, drawn = null, focus = null, also = {};
  const cellAt = (p) => panels[p?.panel]?.cells[p.row]?.[p.column];
  const placeOf = (td) => td && root.contains(td) && td.dataset.panel
    ? { panel: td.dataset.panel, row: +td.dataset.row, column: +td.dataset.column } : null;
  const editor = makeEditor(
    (place, question) => model.send({ type: "edit", ...place, ...question, view: id }),
    (place) => String(valueAt(arrays[place.panel], place.row, place.column)),
  );
  const held = makePin(model, cellAt, (place) => tell(place));

  /** What is built anew where it changes: all but the names of rows and columns. */
  const plan = () => JSON.stringify([model.get("panels"), model.get("groups")],
    (key, x) => (key === "rows" || key === "columns" ? x.length : x));

  // ── building: once for a set of panels ─────────────────────────────────────
  function build() {
    editor.close();
    panels = {};
    drawn = plan();
    buildGroups(model, picture, buildPanel);
    showAlso(also);
    if (!cellAt(focus)) {
      const last = model.get("panels").at(-1);
      focus = last && { panel: last.name, row: 0, column: 0 };
    }
  }

  function buildPanel(p) {
    const { box, formula, note, head } = makeBox(p);
    box.classList.add(`tl-${p.size}`);
    const wordless = p.size in WORDLESS;
    box.classList.toggle("tl-wordless", wordless);
    const room = p.digits + 3; // characters that a cell has room for
    if (p.chooses) makeChooser(p, head);
    if (p.editable) head.append(make("span", "", p.toggles ? "✎ click to turn over" : "✎ edit"));
    const table = make("table");
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", `${p.title}: rows are ${p.axes[0]}, columns ${p.axes[1]}`);
    const top = table.createTHead().insertRow();
    const corner = make("td", "tl-corner");
    if (p.axes[0]) corner.append(make("span", "", `${p.axes[0]} ↓`), make("span", "", `${p.axes[1]} →`));
    const heads = p.columns.map((label) => header(label, "col"));
    top.append(corner, ...heads);
    const body = table.createTBody();
    const cells = p.rows.map((label, row) => {
      const tr = body.insertRow();
      tr.append(header(label, "row"));
      return p.columns.map((_, column) => {
        const td = tr.insertCell();
        td.append(make("span"));
        td.tight = "";
        Object.assign(td.dataset, { panel: p.name, row, column });
        td.setAttribute("role", "gridcell");
        td.tabIndex = row + column === 0 ? 0 : -1;
        if (p.toggles) td.classList.add("tl-edit", "tl-turn");
        else if (p.editable) td.classList.add("tl-edit");
        else td.setAttribute("aria-readonly", "true");
        return td;
      });
    });
    note.before(table);
    panels[p.name] = { ...p, cells, heads, box, room, wordless, heading: formula, foot: note };
    return box;
  }

  // ── drawing: in place, whenever a number changes ───────────────────────────
  function draw() {
    if (!model.get("layout_of").length) return;
    arrays = decode(model);
    if (plan() !== drawn) build();
    for (const p of model.get("panels")) relabel(panels[p.name], p);
    stage.say(model.get("message"));
    for (const p of Object.values(panels)) {
      Object.assign(p, model.get("live")[p.name]);
      const hidden = arrays[`${p.name}.hidden`]?.at;
      const width = p.columns.length;
      p.cells.forEach((row, r) => row.forEach((td, c) => {
        paint(td, p, arrays[p.name].at[r * width + c], hidden?.[r * width + c] ?? 0);
      }));
      if (p.chooses) showChosen(p);
      setText(p.heading, p.formula);
      setText(p.foot, p.note);
    }
    editor.refresh();
    explain();
  }

  // ── explaining: how the cell in view was made ──────────────────────────────
  const marked = [];
  function mark(td, name) {
    if (td) marked.push(td);
    td?.classList.add(name);
  }
  function explain() {
    const pin = held.now();
    const at = pin ?? focus;
    const p = panels[at?.panel];
    marked.splice(0).forEach((td) => td.classList.remove("tl-now", "tl-pinned", "tl-operand"));
    if (!p) return;
    mark(cellAt(at), "tl-now");
    if (pin) mark(cellAt(at), "tl-pinned");
    stage.about(p.sentence, { row: p.rows[at.row], column: p.columns[at.column] });
    const [chips, operands] = explainCell(p, at.row, at.column, arrays, panels);
    fill(stage.sum, chips);
    operands.forEach((td) => mark(td, "tl-operand"));
    stage.hint(pin ? PINNED
      : p.chooses ? "Click or Enter: show this one large. Space: pin this cell. Arrow keys: move."
      : p.toggles ? "Click, Enter or Space: turn this cell over. Arrow keys: move."
      : p.editable ? "Enter or click: type a number. While typing, ↑ ↓ change it by 0.1 (Shift: 1)."
        : "Click or Space: pin this cell. Arrow keys: move.");
  }

  /** Mark the cells of this place in the drawings that share it: row, column or both. */
  function showAlso(place) {
    const { shares, row, column } = (also = place);
    root.querySelectorAll(".tl-also").forEach((td) => td.classList.remove("tl-also"));
    if (!shares || (row === null && column === null)) return;
    for (const p of Object.values(panels)) {
      if (p.shares !== shares) continue;
      const rows = row === null ? p.cells : [p.cells[row] ?? []];
      for (const cells of rows) {
        for (const td of column === null ? cells : [cells[column]]) td?.classList.add("tl-also");
      }
    }
  }

  // ── moving: mouse and keyboard alike ───────────────────────────────────────
  function look(place) {
    if (!place || samePlace(place, focus)) return;
    focus = place;
    if (held.now()) return;
    explain();
    tell(place);
  }
  /** Let this view's other panels, and the explorer's other views, show the place too. */
  function tell({ panel, row, column }) {
    const place = { shares: panels[panel].shares, row, column };
    showAlso(place);
    stage.share(place);
  }
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  function onKey(event) {
    const at = placeOf(event.target.closest("td"));
    if (!at || event.target.closest(".tl-editor")) return;
    const p = panels[at.panel];
    const plain = !(event.ctrlKey || event.metaKey || event.altKey);
    if (event.key === "Escape") {
      editor.close(true);
      held.letGo();
    } else if (event.key in steps || event.key === "Home" || event.key === "End") move(at, event.key);
    else if (p.toggles && plain && [" ", "Enter"].includes(event.key)) turnOver(at);
    else if (p.editable && !p.toggles && plain && (["Enter", "F2"].includes(event.key) || /^[-−.0-9]$/.test(event.key))) {
      edit(at, event.key.length === 1 ? event.key : null);
    } else if (event.key === "Enter" && p.chooses) choose(at.panel);
    else if ([" ", "Enter"].includes(event.key)) held.turn(at);
    else if (!["Delete", "Backspace"].includes(event.key) || !plain) return;
    event.preventDefault();
    event.stopPropagation();
  }
  function move(at, key) {
    const [down, right] = steps[key] ?? [0, key === "Home" ? -1e9 : 1e9];
    const { cells } = panels[at.panel];
    const clip = (x, n) => Math.max(0, Math.min(n - 1, x));
    const next = cells[clip(at.row + down, cells.length)][clip(at.column + right, cells[0].length)];
    cellAt(at).tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
  function onClick(event) {
    choose(event.target.closest("button")?.dataset.chooses);
    const at = placeOf(event.target.closest("td"));
    if (!at || event.target.closest(".tl-editor")) return;
    for (const row of panels[at.panel].cells) for (const td of row) td.tabIndex = -1;
    cellAt(at).tabIndex = 0;
    if (panels[at.panel].toggles) turnOver(at);
    else if (panels[at.panel].editable) edit(at, null);
    else if (panels[at.panel].chooses) choose(at.panel);
    else held.turn(at);
  }
  const choose = (panel) => panel && model.send({ type: "choose", panel });

  function turnOver(at) {
    const { toggles: panel, columns } = panels[at.panel];
    const n = at.row * columns.length + at.column;
    const text = String((arrays[panel].at[n] = 1 - arrays[panel].at[n]));
    try {
      model.send({ type: "edit", ...at, panel, text, nudge: 0, view: id });
    } catch { // the kernel has gone, and the message says so
      arrays[panel].at[n] = 1 - arrays[panel].at[n];
    }
  }
  function edit(at, first) {
    const p = panels[at.panel];
    const label = `${p.title}, row ${p.rows[at.row]}, column ${p.columns[at.column]}`;
    look(at);
    editor.start(at, cellAt(at), label, first);
  }
  const onAnswer = (said) => said.view === id && editor.answer(said);

  stage.listen({
    reach: (node) => look(placeOf(node.closest?.("td"))),
    key: onKey,
    click: onClick,
    also: showAlso,
    change: draw,
  });
  model.on("msg:custom", onAnswer);
  draw();
  return () => {
    stage.stop();
    model.off("msg:custom", onAnswer);
  };
}

export default { render };
