// The explanation comes along where its own place, below the picture, is out of sight.

const EDGE = 28; // pixels that it keeps from the top and the foot of the window

/**
 * @param {HTMLElement} picture what is pointed at
 * @param {HTMLElement} foot the explanation's own place
 * @param {HTMLElement} why the explanation, which leaves its place while it floats
 */
export function makeFloating(picture, foot, why) {
  let far = false;
  let pointed = /** @type {Element | null} */ (null);
  const isOpen = () => why.matches(":popover-open");

  function hide() {
    if (!isOpen()) return;
    why.hidePopover();
    why.removeAttribute("popover");
  }

  function float() {
    if (isOpen()) return;
    document.dispatchEvent(new CustomEvent("tl-float", { detail: why }));
    why.popover = "manual";
    why.showPopover();
  }

  /** Let it float where it does not cover what is pointed at, as long as that is in sight. */
  function show() {
    const seen = pointed?.getBoundingClientRect();
    const inSight = seen && pointed?.isConnected && seen.bottom > 0 && seen.top < innerHeight;
    if (!far || !inSight) return void hide();
    float();
    const { left, width } = foot.getBoundingClientRect();
    const from = Math.max(0, left);
    const above = seen.bottom > innerHeight - EDGE - why.offsetHeight;
    const [top, bottom] = above ? [`${EDGE}px`, "auto"] : ["auto", `${EDGE}px`];
    return void Object.assign(why.style, {
      top, bottom, left: `${from}px`, width: `${Math.min(width, innerWidth - from)}px`,
    });
  }

  const reach = (/** @type {Element | null} */ node) => {
    pointed = picture.contains(node) ? node : null;
    show();
  };
  const watch = new IntersectionObserver(([{ isIntersecting }]) => {
    far = !isIntersecting;
    onMove();
  });
  watch.observe(foot);
  const onMove = () => isOpen() && show();
  const gone = new AbortController();
  const { signal } = gone;
  document.addEventListener("tl-float", hide, { signal }); // there is one on a page
  document.addEventListener("scroll", onMove, { capture: true, passive: true, signal });
  window.addEventListener("resize", onMove, { signal });

  return {
    /** The mouse or the focus has come to a node of the view. */
    reach,
    /** It has gone; the explanation stays for a cell that still has the focus. */
    leave: () => reach(document.activeElement),
    stop() {
      watch.disconnect();
      gone.abort();
      hide();
    },
  };
}
