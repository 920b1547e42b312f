// CurvesView: curves over one axis, or points on a circle, read with a hair line.
//
// Traits: those of View in views.py; what is drawn is in Curves and Plane, curves.py. A
// place is a row; what is shared is the row. Nothing is computed here but where on the
// page a number lies. svg.js, lines.js and plane.js stand above.

function render({ model, el }) {
  const stage = makeStage(model, el);
  const { root, picture } = stage;
  let arrays = {}, charts = {}, drawn = null, focus = null, also = {};
  const value = (d, row, n) => arrays[d.name].at[row * arrays[d.name].shape[1] + n];
  const chartOf = (node) => charts[node?.closest?.(".tl-chart")?.dataset.panel];
  const held = makePin(model, (at) => at.row < charts[at.panel]?.x.length, (place) => tell(place));

  // ── building: once for a set of drawings ───────────────────────────────────
  function build() {
    charts = {};
    drawn = JSON.stringify(model.get("panels"));
    buildGroups(model, picture, buildChart);
    if (!charts[focus?.panel]) focus = null;
  }

  function buildChart(p) {
    const { box, formula, note } = makeBox(p);
    const chart = make("div", "tl-chart");
    chart.dataset.panel = p.name;
    chart.tabIndex = 0;
    chart.setAttribute("role", "slider");
    chart.setAttribute("aria-valuemin", "0");
    const picture = p.shape === "plane" ? makePlane(p) : makeLines(p);
    chart.append(picture.node);
    note.before(chart);
    charts[p.name] = { ...p, chart, picture, heading: formula, foot: note, row: null };
    return box;
  }

  // ── drawing: in place, whenever a number changes ───────────────────────────
  function draw() {
    if (!model.get("layout_of").length) return;
    arrays = decode(model);
    if (JSON.stringify(model.get("panels")) !== drawn) build();
    stage.say(model.get("message"));
    for (const d of Object.values(charts)) {
      Object.assign(d, model.get("live")[d.name]);
      d.picture.update(d, arrays[d.name].at, arrays);
      d.chart.setAttribute("aria-valuemax", String(d.x.length - 1));
      d.chart.setAttribute("aria-label", [d.title, d.axes.filter(Boolean).join(" and ")].filter(Boolean).join(": "));
      setText(d.heading, d.formula);
      setText(d.foot, d.note);
      if (d.row !== null) d.row = Math.min(d.row, d.x.length - 1);
    }
    const [first] = model.get("panels");
    if (!focus && first) {
      const d = charts[first.name];
      focus = { panel: d.name, row: d.marks[0]?.[0] ?? d.x.length - 1 };
      d.row = focus.row;
    }
    showAlso(also);
    explain();
  }

  // ── explaining: what the curves read where the hair line stands ────────────
  const nameOf = (d, n) => (d.shape === "plane" ? d.axes[n] : d.series[n]) || d.title;
  const hueOf = (d, n) => (d.shape === "plane" ? d.palette : d.styles[n].hue);
  function readings(d, row) {
    const columns = Array.from({ length: arrays[d.name].shape[1] }, (_, n) => n);
    const there = columns.filter((n) => !Number.isNaN(value(d, row, n)));
    return there.map((n) => [nameOf(d, n), number(value(d, row, n), d.digits), `tl-result of-${hueOf(d, n)}`]);
  }
  const xText = (d, row) => number(d.x[row], d.x_digits ?? 0);

  function explain() {
    const pin = held.now();
    const at = pin ?? focus;
    for (const d of Object.values(charts)) {
      const row = at?.panel === d.name ? Math.min(at.row, d.x.length - 1) : d.row;
      d.picture.look(row);
      d.chart.classList.toggle("tl-now", at?.panel === d.name);
      d.chart.classList.toggle("tl-pinned", pin?.panel === d.name);
      const said = row ?? 0;
      const words = readings(d, said).map(([name, text]) => `${name} ${text}`).join(", ");
      d.chart.setAttribute("aria-valuenow", String(said));
      d.chart.setAttribute("aria-valuetext", `${d.axes[0] && d.shape !== "plane" ? d.axes[0] : "row"} ${xText(d, said)}: ${words}`);
    }
    const d = charts[at?.panel];
    if (!d) return;
    const row = Math.min(at.row, d.x.length - 1);
    const mark = d.marks.find(([marked, word]) => marked === row && word);
    stage.about(d.sentence || `${d.axes[0] || "x"} {x}`, { x: xText(d, row) + (mark ? ` (${mark[1]})` : "") });
    fill(stage.sum, readings(d, row));
    stage.hint(pin ? PINNED : "Move the mouse, or the arrow keys. Click or Space: pin the line.");
  }

  // ── moving: mouse and keyboard alike ───────────────────────────────────────
  function look(d, row) {
    if (!d || (focus?.panel === d.name && focus.row === row)) return;
    focus = { panel: d.name, row };
    if (held.now()) return;
    d.row = row;
    explain();
    tell(focus);
  }
  function tell({ panel, row }) {
    const place = { shares: charts[panel].shares, row, column: null };
    showAlso(place);
    stage.share(place);
  }
  /** A place of another drawing: the hair lines of those that share it go there. */
  function showAlso(place) {
    also = place;
    if (!place.shares || place.row === null) return;
    for (const d of Object.values(charts)) {
      if (d.shares === place.shares && place.row < d.x.length) d.row = place.row;
    }
  }
  function hear(place) {
    showAlso(place);
    const d = charts[focus?.panel];
    if (d && d.shares === place.shares && d.row !== null) focus = { panel: d.name, row: d.row };
    explain();
  }

  const rowUnder = (d, event) => {
    const box = d.picture.node.getBoundingClientRect();
    const unit = d.picture.node.viewBox.baseVal.width / box.width;
    return d.picture.rowAt((event.clientX - box.left) * unit, (event.clientY - box.top) * unit);
  };
  const onMove = (event) => {
    const d = chartOf(event.target);
    if (d) look(d, rowUnder(d, event));
  };
  function onKey(event) {
    const d = chartOf(event.target);
    if (!d || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = d.x.length - 1;
    const row = d.row ?? 0;
    const leap = Math.max(1, Math.round(last / 10));
    const steps = {
      ArrowLeft: row - 1, ArrowDown: row - 1, ArrowRight: row + 1, ArrowUp: row + 1,
      PageDown: row - leap, PageUp: row + leap, Home: 0, End: last,
    };
    if (event.key === "Escape") held.letGo();
    else if ([" ", "Enter"].includes(event.key)) held.turn({ panel: d.name, row, column: 0 });
    else if (event.key in steps) look(d, Math.max(0, Math.min(last, steps[event.key])));
    else return;
    event.preventDefault(); // and no shortcut of JupyterLab's
    event.stopPropagation();
  }
  function onClick(event) {
    const d = chartOf(event.target);
    if (d) held.turn({ panel: d.name, row: rowUnder(d, event), column: 0 });
  }

  root.addEventListener("pointermove", onMove);
  stage.listen({
    reach: (node) => {
      const d = chartOf(node);
      if (d && d.row === null) look(d, d.marks[0]?.[0] ?? 0);
      else if (d && node === d.chart) look(d, d.row);
    },
    key: onKey,
    click: onClick,
    also: hear,
    change: draw,
  });
  draw();
  return () => stage.stop();
}

export default { render };
