// The lines of LinksView: one per query and key, made once and changed in place.

const LEVELS = 40; // steps in which a line grows wider and fuller

/** @returns the picture and its lines, by query and key */
function makeLinks(p) {
  const viewBox = `0 0 100 ${Math.max(p.rows.length, p.columns.length)}`;
  const node = svg("svg", { viewBox, preserveAspectRatio: "none", role: "img" });
  const lines = p.rows.map((_, r) => p.columns.map((__, c) => (
    svg("path", { d: `M0,${r + 0.5}C45,${r + 0.5} 55,${c + 0.5} 100,${c + 0.5}` }))));
  node.append(...lines.flat());
  return [node, lines];
}

/** The larger the weight, the wider and fuller its line; without one, none. */
function paintLine(path, x, hidden) {
  const share = Math.max(0, Math.min(1, Number.isNaN(x) ? 0 : x));
  const level = hidden ? 0 : Math.floor(LEVELS * share + 0.5);
  if (path.level === level) return;
  path.level = level;
  path.style.display = level ? "" : "none";
  path.style.strokeWidth = `${(0.05 + 0.6 * level / LEVELS).toFixed(3)}em`;
  path.style.setProperty("--full", (0.15 + 0.85 * level / LEVELS).toFixed(3));
}
