// How the panels use the room that an explorer has. A row that does not fit wraps into rows
// that are about as full as each other: four panels become two and two, never three and
// one. What would not fit the window becomes a little smaller; in full screen all becomes
// as large as the screen allows.

import { alignColumns, arrange, breaksEvenly, roomOf, tellArranged } from "./arrange.js";

const [SMALLEST, LARGEST] = [0.62, 1.4]; // in a page
const AMPLE = 0.72; // of the window: what takes less of its height may become larger
const [LITTLE, MUCH] = [0.9, 0.78]; // a little smaller, if that makes it much lower
const [LEAST, MOST] = [0.4, 4]; // in full screen
const [WORTH, AT_MOST] = [1.05, 1.6]; // what is said stands below the panels if all then is larger
const ABREAST = 0.85; // how much smaller all may be where three panels then stand abreast, and not one above two
const PRECISE = 1.03;
const LARGER = [1.15, 1.35];
const EDGE = 12; // pixels of the window that an explorer leaves free
const LEAST_INSET = 48; // pixels: less would look like an edge that is missed
const SPARE = 200; // pixels that panels leave free and what is said may take, at most
const [TALLEST, STEP] = [2.5, 0.05]; // of a chart, to as tall as it is by itself; in which steps it becomes taller

/**
 * Lay out the explorer that a node stands in, whenever its panels or its room change.
 * @param {Element} root @param {AbortSignal} signal
 */
export function makeLayout(root, signal) {
  const home = () => /** @type {HTMLElement | null} */ (root.closest(".tl-explorer"));
  const all = (/** @type {string} */ css) => /** @type {HTMLElement[]} */ ([...home()?.querySelectorAll(css) ?? []]);

  /** Whether no number is explained by a calculation: one line below the panels is enough then. */
  const saysLittle = () => all(".tl-account").length > 0 && !all(".tl-calculates").length;

  /** Lay out the whole in this size: does it fit? @param {number} zoom @param {() => boolean} fits */
  function tryZoom(zoom, fits) {
    home()?.style.setProperty("--tl-zoom", String(zoom));
    const pictures = all(".tl-picture");
    for (const picture of pictures) picture.style.maxWidth = "";
    arrange(pictures);
    for (const picture of pictures) stackIfLower(picture);
    return fits();
  }

  /** Put rows below each other where other views then find room beside them. @param {HTMLElement} picture */
  function stackIfLower(picture) {
    const rows = /** @type {HTMLElement[]} */ ([...picture.children]);
    const box = home();
    if (!box || rows.length < 2 || box.querySelectorAll(".tl-picture:not(:empty)").length < 2) return;
    const before = contentHeight(box);
    picture.style.maxWidth = `${Math.max(...rows.map((row) => row.offsetWidth)) + 1}px`;
    tellArranged(picture);
    if (contentHeight(box) < before) return;
    picture.style.maxWidth = "";
    tellArranged(picture);
  }

  /** From the top of an explorer to the foot of its panels, wherever the page is scrolled to. */
  const contentHeight = (/** @type {HTMLElement} */ box) => {
    const feet = [...box.querySelectorAll(".tl-picture")].map((one) => one.getBoundingClientRect().bottom);
    return Math.max(...feet) - box.getBoundingClientRect().top;
  };

  /** Find the largest size that fits. @param {number} low @param {number} high @param {() => boolean} fits */
  function zoomWithin(low, high, fits, isTooLarge = false) { // high, as is known
    if (!isTooLarge && tryZoom(high, fits)) return;
    let least = low;
    for (let most = high; most / least > PRECISE;) {
      const middle = Math.sqrt(least * most);
      if (tryZoom(middle, fits)) least = middle;
      else most = middle;
    }
    // Larger panels may break into lines that fit where those of a middle size did not.
    const larger = LARGER.map((by) => by * least).find((zoom) => zoom < high && tryZoom(zoom, fits));
    if (larger) zoomWithin(larger, high, fits, true);
    else tryZoom(least, fits);
  }

  const isAcross = (/** @type {Element} */ node) => node.scrollWidth <= node.clientWidth + 1;
  const isHeld = (/** @type {Element} */ node) => isAcross(node) && node.scrollHeight <= node.clientHeight + 1
    && footOf(node.lastElementChild) <= footOf(node) + 1; // in pixels of the screen: those above are zoomed
  const footOf = (/** @type {Element | null} */ node) => node?.getBoundingClientRect().bottom ?? -Infinity;

  /**
   * In a room of another size everything is laid out again. In the same room, panels that
   * have changed keep the size they have as long as they fit.
   */
  function lay(isNewRoom = true) {
    const box = home();
    if (!box?.clientWidth) return;
    const panels = all(".tl-panels");
    for (const node of panels) node.classList.remove("tl-scrolls");
    for (const node of all(".tl-group, .tl-panels > .widget-box > *")) {
      node.classList.toggle("tl-holds-chart", node.querySelector(".tl-grows") !== null);
    }
    const spared = parseFloat(box.style.getPropertyValue("--tl-spare"));
    box.style.removeProperty("--tl-spare");
    const isFull = box.matches(".tl-full");
    const room = isFull ? 0 : roomOf(box) - EDGE;
    const held = [box, ...all(".tl-stage"), ...panels];
    const fits = () => (isFull ? held.every(isHeld) : box.offsetHeight <= room && panels.every(isAcross));
    const [low, high] = isFull ? [LEAST, MOST] : [SMALLEST, 1];
    const zoomNow = () => Number(box.style.getPropertyValue("--tl-zoom"));
    for (const name of ["--lead", "--inset"]) box.style.removeProperty(name);
    if (isNewRoom || !fits()) box.style.removeProperty("--tall");
    const isBrief = saysLittle();
    box.classList.toggle("tl-brief", isBrief);
    if (isNewRoom) box.classList.toggle("tl-below", isBrief);
    zoomWithin(low, isNewRoom || !zoomNow() ? high : zoomNow(), fits);
    if (isNewRoom && isFull && !isBrief) {
      const beside = zoomNow();
      const isEven = () => all(".tl-group").every(breaksEvenly);
      /** @type {[number, () => boolean][]} */
      const ways = [[ABREAST * beside, () => fits() && isEven()], [WORTH * beside, fits]];
      const worth = ways.slice(Number(isEven()));
      box.classList.add("tl-below");
      const better = worth.find(([zoom, suits]) => tryZoom(zoom, suits));
      if (better) zoomWithin(better[0], AT_MOST * beside, better[1]);
      else {
        box.classList.remove("tl-below");
        tryZoom(beside, fits);
      }
    }
    if (isNewRoom && !isFull) {
      preferBeside(box, fits);
      growInto(box, AMPLE * room, fits);
    }
    if (isNewRoom && isFull) makeTaller(box, fits);
    else if (isNewRoom) makeTaller(box, () => fits() && box.offsetHeight <= AMPLE * room && isFlat());
    all(".tl-picture").forEach(alignColumns);
    if (isFull) {
      box.style.setProperty("--lead", `${leadOf(box)}px`);
      box.style.setProperty("--inset", `${insetOf(box)}px`);
      if (!fits()) box.style.removeProperty("--inset"); // a panel would begin a new line
    }
    for (const node of panels) node.classList.toggle("tl-scrolls", !isAcross(node)); // rather than be cut
    // In the same room, what is said grows no wider: it would jump as the panels change.
    if (!isFull) giveSpare(box, isNewRoom ? SPARE : spared);
    width = box.clientWidth;
    for (const view of views()) known.add(view);
  }

  /** Make panels a little smaller where they then stand beside each other. @param {HTMLElement} box */
  function preferBeside(box, /** @type {() => boolean} */ fits) {
    const zoom = Number(box.style.getPropertyValue("--tl-zoom"));
    const low = contentHeight(box);
    const isLower = () => fits() && contentHeight(box) < MUCH * low;
    const less = Math.max(SMALLEST, LITTLE * zoom);
    if (tryZoom(less, isLower)) zoomWithin(less, zoom, isLower);
    else tryZoom(zoom, fits);
  }

  /** Make what fits easily larger, as long as all stays beside what it is beside. @param {HTMLElement} box */
  function growInto(box, /** @type {number} */ room, /** @type {() => boolean} */ fits) {
    if (Number(box.style.getPropertyValue("--tl-zoom")) < 1) return;
    const arrangement = () => all(".tl-panel").map((panel) => panel.getBoundingClientRect()).map(
      ({ top }, n, boxes) => n > 0 && top < boxes[n - 1].bottom).join();
    const before = arrangement();
    zoomWithin(1, LARGEST, () => fits() && box.offsetHeight <= room && arrangement() === before);
  }

  /** Whether no chart is taller for its width than it is by itself. */
  const isFlat = () => all(".tl-plot").every(({ offsetWidth, offsetHeight, style }) => {
    const [wide, high] = ["--wide", "--high"].map((name) => parseFloat(style.getPropertyValue(name)));
    return offsetWidth * high >= offsetHeight * wide;
  });

  /** Let charts become taller as long as that moves nothing. @param {HTMLElement} box @param {() => boolean} fits */
  function makeTaller(box, fits) {
    if (!box.querySelector(box.matches(".tl-full") ? ".tl-grows, .tl-arcs" : ".tl-plot")) return;
    const set = (/** @type {number} */ tall) => box.style.setProperty("--tall", tall.toFixed(2));
    let [least, most] = [1, TALLEST];
    while (most - least > STEP) {
      const middle = (least + most) / 2;
      set(middle);
      if (fits()) least = middle;
      else most = middle;
    }
    set(least);
  }

  /** How far below the head of the stage the panels begin, in pixels of the panels. @param {HTMLElement} box */
  function leadOf(box) {
    const [aside] = all(".tl-aside");
    if (!aside || box.matches(".tl-below")) return 0;
    const topOf = (/** @type {Element} */ node) => node.getBoundingClientRect().top;
    const top = Math.min(...all(".tl-panel").filter((panel) => panel.checkVisibility()).map(topOf));
    return Math.max(0, Math.floor((top - topOf(aside)) / aside.currentCSSZoom));
  }

  /** Half of what panels above what is said leave free beside them, in their pixels. @param {HTMLElement} box */
  function insetOf(box) {
    const [panels] = all(".tl-panels");
    if (!panels || !box.matches(".tl-below")) return 0;
    const rights = all(".tl-panel").map((panel) => panel.getBoundingClientRect().right);
    const inset = (panels.getBoundingClientRect().right - Math.max(...rights)) / 2;
    return inset < LEAST_INSET ? 0 : Math.floor(inset / panels.currentCSSZoom);
  }

  /** Let what is said take the room beside it that no panel needs, if that moves none. @param {HTMLElement} box */
  function giveSpare(box, /** @type {number} */ most) {
    const [stage] = all(".tl-stage");
    if (!stage || getComputedStyle(stage).flexDirection === "column") return;
    const right = (/** @type {string} */ css) => (
      Math.max(...all(css).map((node) => node.getBoundingClientRect().right)));
    const spare = Math.min(most, Math.floor(right(".tl-panels") - right(".tl-panel")) - EDGE);
    const before = places();
    for (const some of [spare, spare / 2]) {
      if (some > 0) box.style.setProperty("--tl-spare", `${some}px`);
      if (places() === before) return;
      box.style.removeProperty("--tl-spare");
    }
  }

  /** Where all panels stand. */
  const places = () => all(".tl-panel").map((panel) => panel.getBoundingClientRect()).map(
    ({ left, top, bottom }) => [left, top, bottom].map(Math.round)).join(" ");

  /** How large panels are, with all that they hold. */
  const shapes = () => all(".tl-panel, .tl-panel *").map((node) => [node.offsetWidth, node.offsetHeight]).join();

  const views = () => all(".tl-picture:not(:empty)");
  let width = 0; // of the explorer, when it was last laid out
  const known = new WeakSet(); // the views that it had then
  const sizes = new ResizeObserver(() => {
    const box = home();
    if (!box) return;
    const isNew = views().some((view) => !known.has(view));
    lay(isNew || width !== box.clientWidth);
    if (isNew) {
      const before = shapes();
      requestAnimationFrame(() => (before === shapes() || lay())); // charts may have their sizes only then
    }
    watch();
  });

  function watch() {
    for (const node of [root, home(), ...all(".tl-panel, .tl-panels")]) if (node) sizes.observe(node);
  }

  sizes.observe(root);
  document.addEventListener("tl-built", ({ target }) => {
    if (target instanceof Node && home()?.contains(target)) watch();
  }, { signal });
  document.addEventListener("tl-reserved", ({ target }) => {
    if (target instanceof Node && home()?.contains(target)) lay();
  }, { signal });
  window.addEventListener("resize", () => lay(), { signal });
  signal.addEventListener("abort", () => sizes.disconnect());
  return lay;
}
