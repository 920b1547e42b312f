// Whether Python is there to answer. A kernel that was shut down, one that was started
// again, and a notebook that was saved with its widgets and has not been run: in each of
// them a picture looks alive and does nothing, so that it has to say so.

export const STOPPED = "The kernel has stopped or restarted: run this cell again.";

/** @param {Context} context @param {() => void} gone what to do when there is nobody to answer */
export function makeKernelWire({ model, signal }, gone) {
  const manager = model.widget_manager;
  const disposed = manager?.kernel?.disposed;
  let lost = false;
  // Of a widget's own connection its layout alone tells: a view is given no more of it.
  const isLive = () => model.get("layout")?.comm_live;
  const alive = () => !lost && isLive() !== false && manager?.kernel !== null;
  const check = () => alive() || gone();
  // The manager tells one widget after another, and forgets a kernel after that has gone.
  const later = () => setTimeout(check);
  disposed?.connect(later);
  signal.addEventListener("abort", () => disposed?.disconnect(later));
  model.on("comm_live_update", () => setTimeout(() => {
    lost = isLive() !== true;
    check();
  }));
  later();
  return {
    alive,
    /** Tell Python something: whether it could be told. @param {object} content */
    send(content) {
      try {
        if (alive()) model.send(content);
      } catch {
        lost = true;
      }
      check();
      return alive();
    },
  };
}
