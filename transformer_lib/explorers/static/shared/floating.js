// The explanation comes along where its own place, below the picture, is out of sight.

const EDGE = 28; // pixels that it keeps from the top and the foot of the window

/**
 * @param {HTMLElement} picture what is pointed at
 * @param {HTMLElement} foot the explanation's own place
 * @param {HTMLElement} why the explanation, which leaves its place while it floats
 */
export function makeFloating(picture, foot, why) {
  let far = false;
  /** @type {Element | null} */
  let pointed = null;
  const isOpen = () => why.matches(":popover-open");
  const watch = new IntersectionObserver(([seen]) => {
    far = !seen.isIntersecting;
    if (isOpen()) show();
  });
  watch.observe(foot);

  function hide() {
    if (!isOpen()) return;
    why.hidePopover();
    why.removeAttribute("popover");
  }

  /** Put it where it does not cover what is pointed at; there is one on a page. */
  function show() {
    const seen = pointed?.isConnected && pointed.getBoundingClientRect();
    if (!far || !seen || seen.bottom < 0 || seen.top > innerHeight) return hide();
    if (!isOpen()) {
      document.dispatchEvent(new CustomEvent("tl-float", { detail: why }));
      why.popover = "manual";
      why.showPopover();
    }
    const { left, width } = foot.getBoundingClientRect();
    why.style.left = `${Math.max(0, left)}px`;
    why.style.width = `${Math.min(width, innerWidth - Math.max(0, left))}px`;
    const above = seen.bottom > innerHeight - EDGE - why.offsetHeight;
    why.style.top = above ? `${EDGE}px` : "auto";
    why.style.bottom = above ? "auto" : `${EDGE}px`;
    return undefined;
  }

  /** @param {Element | null} node */
  const point = (node) => {
    pointed = node && picture.contains(node) ? node : null;
    show();
  };
  const onOther = (/** @type {Event} */ event) => {
    if (event instanceof CustomEvent && event.detail !== why) hide();
  };
  const onMove = () => { if (isOpen()) show(); };
  document.addEventListener("tl-float", onOther);
  document.addEventListener("scroll", onMove, { capture: true, passive: true });
  window.addEventListener("resize", onMove);

  return {
    /** The mouse or the focus has come to a node of the view. */
    reach: point,
    /** It has gone; the explanation stays for a cell that still has the focus. */
    leave: () => point(document.activeElement),
    stop() {
      watch.disconnect();
      document.removeEventListener("tl-float", onOther);
      document.removeEventListener("scroll", onMove, { capture: true });
      window.removeEventListener("resize", onMove);
      hide();
    },
  };
}
