// Whether Python is there to answer. A kernel that was shut down, one that was started
// again, and a notebook that was saved with its widgets and has not been run: in each of
// them a picture looks alive and does nothing, so that it has to say so.

/** @import { KernelWire, Model } from "./types.js" */

export const STOPPED = "The kernel has stopped or restarted: run this cell again.";

/**
 * @param {Model} model
 * @param {() => void} gone what to do when there is nobody to answer any more
 * @returns {KernelWire} send: whether it could be sent; alive; stop: hear no more
 */
export function makeKernelWire(model, gone) {
  let lost = false;
  // Of a widget's own connection its layout alone tells: a view is given no more of it.
  const isLive = () => model.get("layout")?.comm_live;
  const alive = () => !lost && isLive() !== false && model.widget_manager?.kernel !== null;
  const check = () => { if (!alive()) gone(); };
  // The manager tells one widget after another, and forgets a kernel after that has gone.
  const later = () => { setTimeout(check); };
  const changed = () => setTimeout(() => {
    lost = isLive() !== true;
    check();
  });
  const kernel = model.widget_manager?.kernel;
  model.on("comm_live_update", changed);
  kernel?.disposed?.connect(later);
  later();
  return {
    alive,
    send(content) {
      try {
        if (alive()) model.send(content);
      } catch {
        gone();
        return false;
      }
      check();
      return alive();
    },
    stop() {
      model.off("comm_live_update", changed);
      kernel?.disposed?.disconnect(later);
    },
  };
}
