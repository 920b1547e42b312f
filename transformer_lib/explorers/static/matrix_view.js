// MatrixView: heat maps whose cells can be read, hovered, focused, pinned and edited.
//
// Traits: panels (what to draw; see Panel in views.py) · groups (names in each row) ·
// layout_of ([name, shape] of each array) · data (those arrays, float64) · live (what
// moves with the numbers, by panel) · message (why a change was refused) · pin.
// Nothing is computed here. The other files of MatrixView in views.py stand above.

const STOPPED = "The kernel has stopped or restarted: run this cell again.";

function render({ model, el }) {
  const id = Math.random().toString(36).slice(2);
  const root = make("div", "tl");
  const message = make("div", "tl-message");
  message.setAttribute("role", "alert");
  const picture = make("div", "tl-picture");
  const why = make("div", "tl-why");
  why.setAttribute("role", "status");
  const [about, sum, hint] = ["tl-about", "tl-sum", "tl-hint"].map((c) => make("div", c));
  why.append(about, sum, hint);
  const foot = make("div", "tl-foot");
  foot.append(why);
  root.append(message, picture, foot);
  el.append(root);

  let arrays = {}, panels = {}, drawn = null, focus = null;
  const value = (name, r, c) => arrays[name].at[r * arrays[name].shape[1] + c];
  const cellAt = (p) => panels[p?.panel]?.cells[p.row]?.[p.column];
  const placeOf = (td) => td && root.contains(td) && td.dataset.panel
    ? { panel: td.dataset.panel, row: +td.dataset.row, column: +td.dataset.column } : null;
  const editor = makeEditor(
    (place, question) => model.send({ type: "edit", ...place, ...question, view: id }),
    (place) => String(value(place.panel, place.row, place.column)),
  );
  const same = (a, b) => a && b && a.panel === b.panel && a.row === b.row && a.column === b.column;

  // ── building: once for a set of panels ─────────────────────────────────────
  function build() {
    editor.close();
    panels = {};
    drawn = JSON.stringify(model.get("panels"));
    const byName = Object.fromEntries(model.get("panels").map((p) => [p.name, p]));
    picture.replaceChildren(...model.get("groups").map((names) => {
      const group = make("div", "tl-group");
      group.append(...names.map((name) => buildPanel(byName[name])));
      return group;
    }));
    if (!cellAt(focus)) {
      const last = model.get("panels").at(-1);
      focus = last && { panel: last.name, row: 0, column: 0 };
    }
  }

  function buildPanel(p) {
    const box = make("figure", `tl-panel of-${p.palette} tl-${p.size}`);
    const room = p.digits + 3; // characters that a cell has room for
    const label = p.columns.length > 7 ? 0 : Math.min(12, Math.max(...p.columns.map((c) => c.length)));
    const wide = p.size === "tiny" ? 1.3 : Math.max(0.58 * room, 0.46 * label) + 0.5;
    box.style.setProperty("--cell", `${wide}em`);
    const head = make("figcaption");
    const formula = make("span");
    if (p.step) head.append(make("i", "tl-step", String(p.step)));
    head.append(make("b", "", p.title), formula);
    if (p.editable) head.append(make("span", "", p.toggles ? "✎ click to turn over" : "✎ edit"));
    const table = make("table");
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", `${p.title}: rows are ${p.axes[0]}, columns ${p.axes[1]}`);
    const top = table.createTHead().insertRow();
    const corner = make("td", "tl-corner");
    if (p.axes[0]) corner.append(make("span", "", `${p.axes[0]} ↓`), make("span", "", `${p.axes[1]} →`));
    top.append(corner, ...p.columns.map((label) => header(label, "col")));
    const body = table.createTBody();
    const cells = p.rows.map((label, row) => {
      const tr = body.insertRow();
      tr.append(header(label, "row"));
      return p.columns.map((_, column) => {
        const td = tr.insertCell();
        td.append(make("span"));
        Object.assign(td.dataset, { panel: p.name, row, column });
        td.setAttribute("role", "gridcell");
        td.tabIndex = row + column === 0 ? 0 : -1;
        if (p.toggles) td.classList.add("tl-edit", "tl-turn");
        else if (p.editable) td.classList.add("tl-edit");
        else td.setAttribute("aria-readonly", "true");
        return td;
      });
    });
    const note = make("div", "tl-note");
    box.append(head, table, note);
    panels[p.name] = { ...p, cells, room, heading: formula, foot: note };
    return box;
  }

  function header(label, scope) {
    const th = make("th", "", label || "·");
    th.scope = scope;
    th.title = label;
    return th;
  }

  // ── drawing: in place, whenever a number changes ───────────────────────────
  function draw() {
    if (!model.get("layout_of").length) return;
    arrays = decode(model);
    if (JSON.stringify(model.get("panels")) !== drawn) build();
    setText(message, model.get("message"));
    for (const p of Object.values(panels)) {
      Object.assign(p, model.get("live")[p.name]);
      const hidden = arrays[`${p.name}.hidden`]?.at;
      const width = p.columns.length;
      p.cells.forEach((row, r) => row.forEach((td, c) => {
        paint(td, p, arrays[p.name].at[r * width + c], hidden?.[r * width + c]);
      }));
      setText(p.heading, p.formula);
      setText(p.foot, p.note);
    }
    editor.refresh();
    explain();
  }

  function paint(td, p, x, hidden) {
    const look = hidden ? "tl-hidden" : shade(p.palette, x, p.limit);
    if (td.look !== look) {
      td.classList.remove(td.look);
      td.classList.add((td.look = look));
    }
    const text = cellText(p, x, hidden);
    setText(td.firstChild, text);
    td.classList.toggle("tl-zero", x === 0 && !hidden);
    td.classList.toggle("tl-nan", Number.isNaN(x));
    td.classList.toggle("tl-says", Boolean(hidden) && !p.veil);
    const tight = text.length > p.room ? `${(p.room / text.length).toFixed(2)}em` : "";
    if (td.firstChild.style.fontSize !== tight) td.firstChild.style.fontSize = tight;
  }

  // ── explaining: how the cell in view was made ──────────────────────────────
  function explain() {
    const at = model.get("pin") && cellAt(model.get("pin")) ? model.get("pin") : focus;
    const p = panels[at?.panel];
    root.querySelectorAll(".tl-now, .tl-pinned, .tl-operand").forEach((n) => n.classList.remove("tl-now", "tl-pinned", "tl-operand"));
    if (!p) return;
    cellAt(at).classList.add("tl-now");
    if (same(at, model.get("pin"))) cellAt(at).classList.add("tl-pinned");
    const names = { row: p.rows[at.row], column: p.columns[at.column] };
    setText(about, p.sentence.split(/\{(row|column)\}/).map((text, n) => (n % 2 ? names[text] : text)));
    const [chips, operands] = explainCell(p, at.row, at.column, arrays, panels);
    fill(sum, chips);
    operands.forEach((td) => td?.classList.add("tl-operand"));
    setText(hint, same(at, model.get("pin")) ? "Pinned: it stays while you move other things. Escape lets go."
      : p.toggles ? "Click, Enter or Space: turn this cell over. Arrow keys: move."
      : p.editable ? "Enter or click: type a number. While typing, ↑ ↓ change it by 0.1 (Shift: 1)."
        : "Click or Space: pin this cell. Arrow keys: move.");
  }

  // ── moving: mouse and keyboard alike ───────────────────────────────────────
  function look(place) {
    if (!place || same(place, focus)) return;
    focus = place;
    if (!model.get("pin")) explain();
  }
  function setPin(pin) {
    model.set("pin", pin);
    model.save_changes();
  }
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  function onKey(event) {
    const at = placeOf(event.target.closest("td"));
    if (!at || event.target.closest(".tl-editor")) return;
    const p = panels[at.panel];
    const plain = !(event.ctrlKey || event.metaKey || event.altKey);
    if (event.key === "Escape") {
      editor.close(true);
      setPin(null);
    } else if (event.key in steps || event.key === "Home" || event.key === "End") move(at, event.key);
    else if (p.toggles && plain && [" ", "Enter"].includes(event.key)) turnOver(at);
    else if (p.editable && !p.toggles && plain && (["Enter", "F2"].includes(event.key) || /^[-−.0-9]$/.test(event.key))) {
      edit(at, event.key.length === 1 ? event.key : null);
    } else if ([" ", "Enter"].includes(event.key)) setPin(same(at, model.get("pin")) ? null : at);
    else if (!plain || (event.key.length > 1 && !["Delete", "Backspace"].includes(event.key))) return;
    event.preventDefault(); // a letter here is not one of JupyterLab's shortcuts
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
    const at = placeOf(event.target.closest("td"));
    if (!at || event.target.closest(".tl-editor")) return;
    for (const row of panels[at.panel].cells) for (const td of row) td.tabIndex = -1;
    cellAt(at).tabIndex = 0;
    if (panels[at.panel].toggles) turnOver(at);
    else if (panels[at.panel].editable) edit(at, null);
    else setPin(same(at, model.get("pin")) ? null : at);
  }

  function turnOver(at) {
    const { toggles: panel, columns } = panels[at.panel];
    const n = at.row * columns.length + at.column;
    const text = String((arrays[panel].at[n] = 1 - arrays[panel].at[n]));
    model.send({ type: "edit", ...at, panel, text, nudge: 0, view: id });
  }
  function edit(at, first) {
    const p = panels[at.panel];
    const label = `${p.title}, row ${p.rows[at.row]}, column ${p.columns[at.column]}`;
    look(at);
    editor.start(at, cellAt(at), label, first);
  }
  const onAnswer = (said) => said.view === id && editor.answer(said);

  const floating = makeFloating(picture, foot, why);
  const reach = (event) => {
    look(placeOf(event.target.closest?.("td")));
    floating.reach(event.target, event.type === "focusin");
  };
  const stopped = () => setText(message, STOPPED);
  root.addEventListener("pointerover", reach);
  root.addEventListener("focusin", reach);
  root.addEventListener("pointerleave", floating.leave);
  root.addEventListener("focusout", floating.leave);
  root.addEventListener("keydown", onKey);
  root.addEventListener("click", onClick);
  model.on("change", draw);
  model.on("msg:custom", onAnswer);
  model.on("comm_live_update", stopped);
  draw();
  return () => {
    floating.stop();
    model.off("change", draw);
    model.off("msg:custom", onAnswer);
    model.off("comm_live_update", stopped);
  };
}

export default { render };
