// The line that explains comes along when the picture is taller than the screen.

/**
 * @param picture what is pointed at @param foot the explanation's own place
 * @param why the explanation, which leaves its place while that is out of sight
 */
function makeFloating(picture, foot, why) {
  let far = false;
  const watch = new IntersectionObserver(([seen]) => { far = !seen.isIntersecting; });
  watch.observe(foot);

  function show(on) {
    if ((on && far) === why.matches(":popover-open")) return;
    if (!(on && far)) {
      why.hidePopover();
      why.removeAttribute("popover");
      return;
    }
    why.style.width = `${foot.clientWidth}px`;
    why.style.left = `${foot.getBoundingClientRect().left}px`;
    why.popover = "manual";
    why.showPopover();
  }

  return {
    /** The mouse or the focus has come to a node of the view. */
    reach(node, focused) {
      show(picture.contains(node) || why.contains(node));
      if (!focused || !why.matches(":popover-open")) return;
      node.style.scrollMarginBottom = `${why.offsetHeight + 40}px`;
      node.scrollIntoView({ block: "nearest" });
    },
    /** It has gone; the explanation stays for a cell that still has the focus. */
    leave: () => show(picture.contains(document.activeElement)),
    stop() {
      watch.disconnect();
      if (why.matches(":popover-open")) why.hidePopover();
    },
  };
}
