// The stage that every view stands on: the message, the drawings with their headings,
// the lines that explain the place in view, and the wires to the model and to others.

const STOPPED = "The kernel has stopped or restarted: run this cell again.";
const PINNED = "Pinned: it stays while you move other things. Escape lets go.";

/** A drawing's box with its heading and its note; the view puts its own before the note. */
function makeBox(p) {
  const box = make("figure", `tl-panel of-${p.palette}`);
  const head = make("figcaption");
  const [formula, note] = [make("span"), make("div", "tl-note")];
  if (p.step) head.append(make("i", "tl-step", String(p.step)));
  head.append(make("b", "", p.title), formula);
  box.append(head, note);
  return { box, head, formula, note };
}

/** Build the drawings once for a set of frames, in the rows that `groups` gives. */
function buildGroups(model, picture, build) {
  const byName = Object.fromEntries(model.get("panels").map((p) => [p.name, p]));
  picture.replaceChildren(...model.get("groups").map((names) => {
    const group = make("div", "tl-group");
    group.append(...names.map((name) => build(byName[name])));
    return group;
  }));
}

/**
 * Put the stage into a cell's output.
 * @returns its parts, and: say (a refusal), about, hint (the lines that explain), share
 * (tell the explorer's other views which place is in view), listen, stop
 */
function makeStage(model, el) {
  const root = make("div", "tl");
  const message = make("div", "tl-message");
  message.setAttribute("role", "alert");
  const picture = make("div", "tl-picture");
  const why = make("div", "tl-why");
  why.setAttribute("role", "status");
  const [about, sum, hint] = ["tl-about", "tl-sum", "tl-hint"].map((c) => make("div", c));
  why.append(about, sum, hint);
  const foot = make("div", "tl-foot");
  foot.append(why);
  root.append(...(model.get("leads") ? [message] : []), picture, foot);
  el.append(root);
  const floating = makeFloating(picture, foot, why);
  const home = () => root.closest(".tl-explorer");
  let undo = () => {};
  let told = "";

  return {
    root, picture, sum,
    say: (text) => setText(message, text),
    hint: (text) => setText(hint, text),
    /** A sentence whose {names} stand for texts, which are set apart as such. */
    about(sentence, names) {
      const pieces = sentence.split(/\{(\w+)\}/);
      setText(about, pieces.map((text, n) => (n % 2 ? String(names[text]) : text)));
    },
    share(place) {
      const text = JSON.stringify(place);
      if (!place.shares || text === told) return;
      told = text;
      document.dispatchEvent(new CustomEvent("tl-focus", { detail: { from: root, home: home(), ...place } }));
    },
    /** @param does reach(node), key(event), click(event), also(place), change() */
    listen(does) {
      const reach = (event) => {
        does.reach(event.target);
        floating.reach(event.target, event.type === "focusin");
      };
      const key = (event) => {
        does.key(event); // and a letter is not one of JupyterLab's shortcuts: x cuts the cell
        if (event.key.length === 1 && !(event.ctrlKey || event.metaKey || event.altKey)) event.stopPropagation();
      };
      const hear = ({ detail }) => {
        if (detail.from === root || !home() || detail.home !== home()) return;
        told = "";
        does.also(detail);
      };
      const stopped = () => setText(message, STOPPED);
      const wires = [
        ["pointerover", reach], ["focusin", reach], ["keydown", key], ["click", does.click],
        ["pointerleave", floating.leave], ["focusout", floating.leave],
      ];
      for (const [name, act] of wires) root.addEventListener(name, act);
      document.addEventListener("tl-focus", hear);
      model.on("change", does.change);
      model.on("comm_live_update", stopped);
      undo = () => {
        document.removeEventListener("tl-focus", hear);
        model.off("change", does.change);
        model.off("comm_live_update", stopped);
      };
    },
    stop() {
      undo();
      floating.stop();
    },
  };
}

/** Whether two places are one: the same row and column of the same drawing. */
const samePlace = (a, b) => a?.panel === b?.panel && a?.row === b?.row && a?.column === b?.column;

/**
 * The place that is held in view, for as long as it is there: one that a smaller picture
 * lacks holds nothing, and is held again when it is back.
 * @param isThere whether this place is drawn @param tell what to do with a new pin
 * @returns now() the place or null, turn(place) hold it or let go, letGo()
 */
function makePin(model, isThere, tell) {
  const now = () => {
    const pin = model.get("pin");
    return pin && isThere(pin) ? pin : null;
  };
  function set(pin) {
    model.set("pin", pin);
    model.save_changes();
    if (pin) tell(pin);
  }
  return { now, letGo: () => set(null), turn: (place) => set(samePlace(place, now()) ? null : place) };
}

/** Give one of these nodes the focus; Tab reaches it alone of them. */
function focusOne(nodes, one) {
  for (const node of nodes) node.tabIndex = node === one ? 0 : -1;
  one.focus();
}

/** The next place among n when an arrow, Home or End is pressed; null for other keys. */
function stepTo(key, at, n, back, forth) {
  const to = { Home: 0, End: n - 1, [back]: at - 1, [forth]: at + 1 }[key];
  return to === undefined ? null : Math.max(0, Math.min(n - 1, to));
}

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
