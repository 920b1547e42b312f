// Whether Python is there to answer. A kernel that was shut down, one that was started
// again, and a notebook that was saved with its widgets and has not been run: in each of
// them a picture looks alive and does nothing, so that it has to say so.

export const STOPPED = "The kernel has stopped or restarted: run this cell again.";

/**
 * @param {Model} model
 * @param {() => void} gone what to do when there is nobody to answer
 * @returns {KernelWire}
 */
export function makeKernelWire(model, gone) {
  const manager = model.widget_manager;
  let lost = false;
  // Of a widget's own connection its layout alone tells: a view is given no more of it.
  const isLive = () => model.get("layout")?.comm_live;
  const alive = () => !lost && isLive() !== false && manager?.kernel !== null;
  const check = () => alive() || gone();
  // The manager tells one widget after another, and forgets a kernel after that has gone.
  const later = () => setTimeout(check);
  const onLive = () => setTimeout(() => {
    lost = isLive() !== true;
    check();
  });
  const disposed = manager?.kernel?.disposed;
  model.on("comm_live_update", onLive);
  disposed?.connect(later);
  later();
  return {
    alive,
    send(content) {
      try {
        if (alive()) model.send(content);
      } catch {
        lost = true;
      }
      check();
      return alive();
    },
    stop() {
      model.off("comm_live_update", onLive);
      disposed?.disconnect(later);
    },
  };
}
