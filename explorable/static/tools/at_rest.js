// What a saved notebook shows when it is opened again. JupyterLab draws the widgets of a
// notebook that it trusts, and where one is gone it says so in the place of the picture. So
// the picture alone is saved, and which widget it was stands in the output's metadata:
// where a page is loaded again while the widget lives, its output has it back.
//
// Long work is saved as it ended, not as it stood when its cell ran. The trait "end" of an
// explorer's tools has that: { of: the explorer's model_id, data, metadata }, or nothing.

const VIEW = "application/vnd.jupyter.widget-view+json";
const STATE = "application/vnd.jupyter.widget-state+json";
const KNOWN = Symbol.for("transformer_lib: saved at rest");

/** The same output with its picture alone. @param {Output} output @returns {Output} */
function atRest({ data: { [VIEW]: view, ...data }, metadata, ...output }) {
  return { ...output, data, metadata: { ...metadata, [VIEW]: view } };
}

/** The same output with its widget again. @param {Output} output @returns {Output} */
function alive({ data, metadata: { [VIEW]: view, ...metadata }, ...output }) {
  return { ...output, data: { ...data, [VIEW]: view }, metadata };
}

/**
 * A notebook as it is saved; a widget whose state it holds is not gone.
 * @param {SavedNotebook} whole @param {Map<string, Output>} ends of long work, by widget
 */
function saved({ cells, ...whole }, ends) {
  const states = whole.metadata.widgets?.[STATE]?.state ?? {};
  const leave = (/** @type {Output} */ given) => {
    const end = ends.get(given.data?.[VIEW]?.model_id);
    const both = (/** @type {"data" | "metadata"} */ part) => ({ ...given[part], ...end?.[part] });
    const output = end ? { ...given, data: both("data"), metadata: both("metadata") } : given;
    const { [VIEW]: view, "image/png": picture } = output.data ?? {};
    return view && picture && !(view.model_id in states) ? atRest(output) : output;
  };
  return { ...whole, cells: cells.map((cell) => ({
    ...cell, ...(cell.outputs && { outputs: cell.outputs.map(leave) }),
  })) };
}

/** Let outputs show widgets that live, and the pictures of those that do not. @param {WidgetManager} manager */
function showWhatLives(manager) {
  const { model: notebook } = manager.context;
  const { dirty } = notebook;
  for (const { outputs } of notebook.cells) {
    for (let n = 0; n < (outputs?.length ?? 0); n += 1) {
      const output = outputs.get(n);
      const { data, metadata } = output;
      const view = data[VIEW] ?? metadata[VIEW];
      const lives = Boolean(view) && manager.has_model(view.model_id);
      if (!view || !data["image/png"] || lives === VIEW in data) continue;
      output.setData((lives ? alive : atRest)({ data, metadata }));
    }
  }
  notebook.dirty = dirty; // the reader has changed nothing
}

/** Have the notebook that a widget stands in saved so, where its host lets us. @param {{ model: Model }} context */
export function saveAtRest({ model }) {
  const manager = /** @type {WidgetManager | undefined} */ (model.widget_manager);
  const notebook = manager?.context?.model;
  if (!manager?.restored || !notebook?.toJSON) return;
  if (!notebook[KNOWN]) adopt(manager, notebook);
  const keep = () => {
    const { of, ...end } = model.get("end");
    if (of) notebook[KNOWN].set(of, end);
  };
  keep();
  model.on("change:end", () => {
    keep();
    notebook.dirty = true;
  });
}

/** Have a notebook saved as it is at rest. @param {WidgetManager} manager @param {any} notebook */
function adopt(manager, notebook) {
  const ends = notebook[KNOWN] = new Map();
  const whole = notebook.toJSON.bind(notebook);
  notebook.toJSON = () => saved(whole(), ends);
  const show = () => showWhatLives(manager);
  manager.restored?.connect(show);
  if (manager.restoredStatus) show();
}
