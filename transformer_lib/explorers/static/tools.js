// Tools: copy the numbers, save the picture, set the size of every explorer on the page.
//
// No traits. Messages: "numbers" asks for a text, "picture" for an SVG; the answer bears
// the same `turn`. The size is kept by the browser, for this page and the next.

const SIZES = [0.85, 1, 1.25, 1.5, 2];
const STORED = "transformer-explorers-size";
const LATE = 5000; // milliseconds after which a silent kernel is named, and a word goes

/** Set the size of every explorer on the page; forget nothing but what is no size. */
function setSize(n) {
  document.documentElement.style.setProperty("--tl-scale", SIZES[n]);
  try { localStorage.setItem(STORED, String(n)); } catch { /* a page without storage */ }
  document.dispatchEvent(new CustomEvent("tl-size", { detail: n }));
}
function storedSize() {
  let text = null;
  try { text = localStorage.getItem(STORED); } catch { /* a page without storage */ }
  return text !== null && SIZES[+text] ? +text : 1;
}

/**
 * ipywidgets leaves a slider's handle without a name: its label becomes one. And an open
 * list keeps its arrow keys, which JupyterLab would take.
 */
function nameSliders(home) {
  for (const list of home?.querySelectorAll("select") ?? []) list.dataset.lmSuppressShortcuts = "true";
  for (const slider of home?.querySelectorAll(".widget-slider") ?? []) {
    const name = slider.querySelector(".widget-label")?.textContent ?? "";
    for (const handle of slider.querySelectorAll(".noUi-handle:not([aria-label])")) handle.ariaLabel = name;
  }
}
/** Name the sliders of this tools' explorer as soon as they stand, and those that come. */
function keepSlidersNamed(root) {
  const name = () => nameSliders(root.closest(".tl-explorer"));
  const later = new MutationObserver(name);
  const seen = new IntersectionObserver(() => {
    name();
    const bar = root.closest(".tl-explorer")?.firstElementChild;
    if (bar) later.observe(bar, { childList: true, subtree: true });
  });
  seen.observe(root);
  return () => {
    seen.disconnect();
    later.disconnect();
  };
}

function render({ model, el }) {
  const root = make("div", "tl-tools");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "tools");
  const press = (text, label, act) => {
    const button = make("button", "", text);
    button.type = "button";
    button.title = label;
    if (!/[a-z]{2}/.test(text)) button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    return button;
  };
  const said = make("span", "tl-said");
  said.setAttribute("role", "status");
  const shown = make("textarea", "tl-shown");
  shown.readOnly = true;
  shown.hidden = true;
  shown.setAttribute("aria-label", "the numbers, to be copied");
  const copy = press("Copy numbers", "Copy every number of this picture as a table of text", () => ask("numbers"));
  const save = press("Save picture", "Save this picture as an SVG file", () => ask("picture"));
  const smaller = press("A−", "Smaller pictures", () => setSize(Math.max(0, storedSize() - 1)));
  const larger = press("A+", "Larger pictures", () => setSize(Math.min(SIZES.length - 1, storedSize() + 1)));
  root.append(copy, save, smaller, larger, said, shown);
  el.append(root);

  let turn = 0, patience = 0, quiet = 0;
  function say(text) {
    setText(said, text);
    clearTimeout(quiet);
    quiet = setTimeout(() => setText(said, ""), LATE);
  }
  function ask(type) {
    shown.hidden = true;
    turn = Math.random();
    model.send({ type, turn });
    clearTimeout(patience);
    patience = setTimeout(() => say("The kernel is busy or has stopped."), LATE);
  }
  async function answered(content) {
    if (content.turn !== turn) return; // another page of this notebook has asked
    clearTimeout(patience);
    if (content.type === "picture") keepFile(`${content.name}.svg`, content.svg);
    else await keepText(content.text);
  }
  function keepFile(name, svg) {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), LATE);
    say(`Saved as ${name}`);
  }
  async function keepText(text) {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch { // a page that may not reach the clipboard shows the text instead
      shown.value = text;
      shown.hidden = false;
      shown.focus();
      shown.select();
      say("Selected: copy it with Ctrl+C or ⌘C");
    }
  }
  const sized = () => {
    smaller.disabled = storedSize() === 0;
    larger.disabled = storedSize() === SIZES.length - 1;
  };
  document.addEventListener("tl-size", sized);
  model.on("msg:custom", answered);
  setSize(storedSize());
  const leave = keepSlidersNamed(root);
  return () => {
    leave();
    document.removeEventListener("tl-size", sized);
    model.off("msg:custom", answered);
    clearTimeout(patience);
    clearTimeout(quiet);
  };
}

export default { render };
