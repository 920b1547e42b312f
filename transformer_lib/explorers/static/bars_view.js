// BarsView: one or several bars per label around a zero line, to be read and pinned.
//
// Traits: those of View in views.py; what is drawn is in Bars, bars.py. A place is a
// label (row) and a series (column); what is shared is the label alone.
// Nothing is computed here but where on the scale a number lies.

function render({ model, el }) {
  const stage = makeStage(model, el);
  const { root, picture } = stage;

  let arrays = {}, panels = {}, drawn = null, focus = null, also = {};
  const barAt = (p) => panels[p?.panel]?.bars[p.row]?.[p.column];
  const placeOf = (bar) => bar && root.contains(bar)
    ? { panel: bar.dataset.panel, row: +bar.dataset.row, column: +bar.dataset.column } : null;
  const reached = (node) => placeOf(node.closest?.(".tl-bar"));
  const held = makePin(model, barAt, (place) => tell(place));
  const valueOf = (p, row, column) => arrays[p.name].at[row * p.series.length + column];

  // ── building: once for a set of drawings ───────────────────────────────────
  function build() {
    panels = {};
    drawn = JSON.stringify(model.get("panels"));
    buildGroups(model, picture, buildPanel);
    if (!barAt(focus)) {
      const first = model.get("panels")[0];
      focus = first && { panel: first.name, row: 0, column: 0 };
    }
  }

  function buildPanel(p) {
    const { box, formula, note } = makeBox(p);
    const bars = p.count * p.series.length;
    const named = p.roomy && p.series.some(Boolean);
    const grid = make("div", "tl-bars");
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", [p.title, p.measure].filter(Boolean).join(": "));
    const frame = make("div", `tl-bar-frame ${p.roomy ? "" : "tl-slim"}`);
    frame.style.setProperty("--label", `${0.56 * p.room + 0.6}em`);
    frame.style.setProperty("--name", named ? `${0.53 * Math.min(16, Math.max(...p.series.map((s) => s.length))) + 1}em` : "0em");
    frame.style.setProperty("--bar", `${p.roomy ? 1.45 : Math.max(0.5, Math.min(0.8, 45 / bars))}em`);
    const rows = Array.from({ length: p.count }, (_, row) => buildRow(p, row, named));
    const back = make("div", "tl-bar-back"); // the scale: lines behind the bars, numbers below
    back.setAttribute("aria-hidden", "true");
    grid.append(...rows.map((r) => r.row));
    frame.append(back, grid);
    if (p.measure) note.before(make("div", "tl-measure", p.measure));
    if (!p.roomy && p.series.some(Boolean)) note.before(buildKey(p));
    note.before(frame);
    panels[p.name] = { ...p, bars: rows.map((r) => r.bars), heads: rows.map((r) => r.head), frame, back, heading: formula, foot: note };
    return box;
  }

  function buildRow(p, row, named) {
    const line = make("div", "tl-bar-row");
    line.setAttribute("role", "row");
    const head = make("div", "tl-bar-label");
    head.setAttribute("role", "rowheader");
    line.append(head);
    const bars = p.series.map((name, column) => {
      const bar = make("div", `tl-bar of-${p.hues[column]}`);
      Object.assign(bar.dataset, { panel: p.name, row, column });
      bar.setAttribute("role", "gridcell");
      bar.tabIndex = row + column === 0 ? 0 : -1;
      const lane = make("span", "tl-lane");
      lane.append(make("i", `tl-fill tl-fill-${column}`), make("b"));
      bar.append(make("span", named ? "tl-bar-name" : "tl-bar-name tl-unseen", name), lane);
      line.append(bar);
      return bar;
    });
    return { row: line, head, bars };
  }

  /** Which fill is whose, where the bars are too slim to bear names. */
  function buildKey(p) {
    const key = make("div", "tl-bar-key");
    key.append(...p.series.map((name, n) => {
      const entry = make("span", `of-${p.hues[n]}`);
      entry.append(make("i", `tl-fill tl-fill-${n}`), make("bdi", "", name));
      return entry;
    }));
    return key;
  }

  // ── drawing: in place, whenever a number changes ───────────────────────────
  function draw() {
    if (!model.get("layout_of").length) return;
    arrays = decode(model);
    if (JSON.stringify(model.get("panels")) !== drawn) build();
    stage.say(model.get("message"));
    for (const p of Object.values(panels)) {
      Object.assign(p, model.get("live")[p.name]);
      drawScale(p);
      const every = p.roomy ? 1 : Math.ceil(1.2 / (parseFloat(p.frame.style.getPropertyValue("--bar")) * p.series.length));
      p.heads.forEach((head, row) => {
        setText(head, p.labels[row] || "·");
        head.title = p.labels[row];
        head.classList.toggle("tl-unseen", row % every > 0);
      });
      p.bars.forEach((bars, row) => bars.forEach((bar, column) => paint(bar, p, valueOf(p, row, column))));
      setText(p.heading, p.formula);
      setText(p.foot, p.note);
    }
    showAlso(also);
    explain();
  }

  /** Where on the scale a number lies, as a percentage; what is beyond lies at its end. */
  function along({ scale: [low, high] }, x) {
    return 100 * (Math.max(low, Math.min(high, x)) - low) / (high - low);
  }

  function drawScale(p) {
    const text = JSON.stringify([p.scale, p.ticks, p.guide]);
    if (p.back.dataset.drawn === text) return;
    p.back.dataset.drawn = text;
    p.frame.style.setProperty("--before", p.scale[0] < 0 ? "4.6em" : "0.6em"); // for a number
    const mark = (x, words, look) => {
      const line = make("span", `tl-bar-mark ${look}`);
      line.style.left = `${along(p, x)}%`;
      line.append(make("span", "", words));
      return line;
    };
    const marks = p.ticks.map(([x, words]) => mark(x, words, ""));
    if (p.guide.length) marks.push(mark(...p.guide, "tl-guide"));
    p.back.replaceChildren(...marks, mark(0, "", "tl-origin"));
  }

  function paint(bar, p, x) {
    const [fill, text] = bar.lastChild.children;
    const written = number(x, p.digits);
    const [zero, end] = [along(p, 0), Number.isNaN(x) ? along(p, 0) : along(p, x)];
    const state = `${zero} ${end} ${written}`;
    if (bar.state === state) return;
    bar.state = state;
    fill.style.left = `${Math.min(zero, end)}%`;
    fill.style.width = `${Math.abs(end - zero)}%`;
    fill.classList.toggle("tl-nothing", end === zero);
    bar.classList.toggle("tl-left", x < 0);
    bar.classList.toggle("tl-beyond", x > p.scale[1] || x < p.scale[0]);
    text.style.left = x < 0 ? "" : `${end}%`;
    text.style.right = x < 0 ? `${100 - end}%` : "";
    setText(text, written);
  }

  // ── explaining: the bar in view among its label's others ───────────────────
  function explain() {
    const pin = held.now();
    const at = pin ?? focus;
    root.querySelectorAll(".tl-now, .tl-pinned").forEach((n) => n.classList.remove("tl-now", "tl-pinned"));
    const p = panels[at?.panel];
    if (!p) return;
    barAt(at).classList.add("tl-now");
    if (pin) barAt(at).classList.add("tl-pinned");
    stage.about(p.sentence, { label: p.labels[at.row], series: p.series[at.column] });
    fill(stage.sum, p.series.map((name, n) => [
      name, number(valueOf(p, at.row, n), Math.max(p.digits, 4)),
      `of-${p.hues[n]} ${n === at.column ? "tl-result" : ""}`,
    ]));
    stage.hint(pin ? PINNED : "Click or Space: pin this bar. Arrow keys: move.");
  }

  /** Mark the label of this place in the drawings that share it. */
  function showAlso(place) {
    also = place;
    for (const p of Object.values(panels)) {
      p.heads.forEach((head, row) => {
        head.classList.toggle("tl-also", Boolean(also.shares) && also.shares === p.shares && also.row === row);
      });
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
  function tell({ panel, row }) {
    const place = { shares: panels[panel].shares, row, column: null };
    showAlso(place);
    stage.share(place);
  }
  function onKey(event) {
    const at = reached(event.target);
    if (!at) return;
    const { count, series } = panels[at.panel];
    const n = stepTo(event.key, at.row * series.length + at.column, count * series.length, "ArrowUp", "ArrowDown")
      ?? stepTo(event.key, at.row * series.length + at.column, count * series.length, "ArrowLeft", "ArrowRight");
    if (event.key === "Escape") held.letGo();
    else if (n !== null) go({ ...at, row: Math.floor(n / series.length), column: n % series.length });
    else if ([" ", "Enter"].includes(event.key)) held.turn(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  const go = (to) => focusOne(panels[to.panel].bars.flat(), barAt(to));
  function onClick(event) {
    const at = reached(event.target);
    if (!at) return;
    go(at);
    held.turn(at);
  }

  stage.listen({ reach: (node) => look(reached(node)), key: onKey, click: onClick, also: showAlso, change: draw });
  draw();
  return () => stage.stop();
}

export default { render };
