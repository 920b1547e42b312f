// Whether Python is there to answer. A kernel that was shut down, one that was started
// again, a connection that is lost, and a notebook that was saved with its widgets and
// has not been run: in each of them a picture looks alive and does nothing, so that it
// has to say so. What a host does not tell the tools find out (heartbeat.js), and leave
// with the explorer, in data-kernel.

export const STOPPED = "The kernel has stopped or restarted: run this cell again.";
export const AWAY = "No connection to the kernel: nothing can be moved until it is back. "
  + "If it stays away, start Jupyter again and run this cell again.";
export const BUSY = "Busy: waiting for the kernel.";
const OVER = ["restarting", "autorestarting", "terminating", "dead"];

/** @param {Context} context @param {() => void} told what to do when it may be otherwise than it was */
export function makeKernelWire({ model, el, signal }, told) {
  const manager = model.widget_manager;
  const kernel = manager?.kernel;
  let lost = false;
  // Of a widget's own connection its layout alone tells: a view is given no more of it.
  const isLive = () => model.get("layout")?.comm_live;
  // The manager tells one widget after another, and forgets a kernel after that has gone.
  const later = () => setTimeout(told);

  /** What the host knows to be wrong, in words. */
  function known() {
    const gone = manager?.kernel === null || (kernel && manager?.kernel !== kernel);
    if (lost || gone || isLive() === false) return STOPPED;
    return (kernel?.connectionStatus ?? "connected") === "connected" ? "" : AWAY;
  }
  const trouble = () => known() || (el.closest(".tl-explorer")?.getAttribute("data-kernel") ?? "");
  const alive = () => ["", BUSY].includes(trouble());

  /** @param {KernelSignal | undefined} signs @param {(sender: unknown, status: string) => void} act */
  function listen(signs, act) {
    signs?.connect(act);
    signal.addEventListener("abort", () => signs?.disconnect(act));
  }
  listen(kernel?.disposed, later);
  listen(kernel?.connectionStatusChanged, later);
  listen(kernel?.statusChanged, (_, status) => {
    lost ||= OVER.includes(status);
    later();
  });
  model.on("comm_live_update", () => setTimeout(() => {
    lost ||= isLive() !== true;
    told();
  }));
  document.addEventListener("tl-kernel", told, { signal }); // the tools have found out more
  later();

  /** @param {object} content */
  function tell(content) {
    try {
      model.send(content);
    } catch {
      lost = true;
      told();
    }
  }
  return {
    known, trouble, alive, tell,
    /** Tell Python something: whether it could be told. @param {object} content */
    send(content) {
      if (alive()) tell(content);
      return alive();
    },
  };
}
