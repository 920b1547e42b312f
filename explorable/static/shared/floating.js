// The explanation comes along where its own place, below the picture, is out of sight.

const EDGE = 28; // pixels that it keeps from the top and the foot of the window

/**
 * The explanation is `why`, its own place `foot`; what is pointed at is in `picture`.
 * @param {Record<"picture" | "foot" | "why", HTMLElement>} nodes @param {AbortSignal} signal
 */
export function makeFloating({ picture, foot, why }, signal) {
  let far = false;
  let pointed = /** @type {Element | null} */ (null);

  /** Let it float where it does not cover what is pointed at, as long as that is in sight. */
  function show() {
    const seen = far && pointed?.isConnected && pointed.getBoundingClientRect();
    const floats = seen && seen.bottom > 0 && seen.top < innerHeight;
    if (!floats) return void (why.popover = null);
    for (const other of document.querySelectorAll(".tl-why:popover-open")) {
      if (other !== why) other.removeAttribute("popover"); // there is one on a page
    }
    why.popover = "manual";
    why.togglePopover(true);
    const { left, width } = foot.getBoundingClientRect();
    const from = Math.max(0, left);
    const above = seen.bottom > innerHeight - EDGE - why.offsetHeight;
    const [top, bottom] = above ? [`${EDGE}px`, "auto"] : ["auto", `${EDGE}px`];
    const place = { top, bottom, left: `${from}px`, width: `${Math.min(width, innerWidth - from)}px` };
    return void Object.assign(why.style, place);
  }

  const onMove = () => why.popover && show();
  const watch = new IntersectionObserver((told) => {
    far = !told[told.length - 1].isIntersecting;
    onMove();
  });
  watch.observe(foot);
  signal.addEventListener("abort", () => watch.disconnect());
  document.addEventListener("scroll", onMove, { capture: true, passive: true, signal });
  window.addEventListener("resize", onMove, { signal });

  /** The mouse or the focus has come to a node, or gone: it stays for what still has the focus. */
  return (/** @type {Element | null} */ node = document.activeElement) => {
    pointed = picture.contains(node) ? node : null;
    show();
  };
}
