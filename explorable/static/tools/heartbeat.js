// Whether the kernel answers, asked after a reader has done something, and only then: a
// page at rest keeps no machine awake. A kernel takes one message after another, so that
// its answer tells that it has heard whatever was said before.

import { BUSY } from "../shared/kernel.js";

const SOON = 500; // milliseconds to the question: by then the picture has long followed
const BUSY_AFTER = 1000; // when a kernel is busy
const SILENT_AFTER = 5000; // when nothing may be moved any more
const RARELY = 60_000; // between two questions at most
const SILENT = "No answer from the kernel: it is busy, or has stopped. Nothing can be moved until "
  + "it answers; if it does not, run this cell again.";

/**
 * @param {KernelWire} kernel @param {AbortSignal} signal
 * @param {(words: string) => void} say what is to be said of the kernel from now on, or ""
 */
export function makeHeartbeat(kernel, signal, say) {
  let turn = 0; // of the question that waits for its answer
  let asked = ""; // what it was
  let more = false; // whether something was done after it
  let broken = false; // whether what was said, here or there, may have been lost
  let timers = /** @type {number[]} */ ([]);

  /** @param {[act: () => void, delay: number][]} all */
  function plan(...all) {
    for (const timer of timers) clearTimeout(timer);
    timers = all.map(([act, delay]) => window.setTimeout(act, delay));
  }

  /** @param {string} type "alive", or "again": then Python says once more what holds */
  function ask(type, patience = SILENT_AFTER) {
    [asked, turn, more] = [type, Math.random(), false];
    kernel.tell({ type, turn });
    plan([() => broken || say(BUSY), BUSY_AFTER - SOON], [() => giveUp(patience), patience - SOON]);
  }

  function giveUp(/** @type {number} */ patience) {
    broken = true;
    say(SILENT);
    ask("alive", Math.min(2 * patience, RARELY));
  }

  signal.addEventListener("abort", () => plan());
  return {
    /** The reader has done something. */
    acted() {
      more = true;
      if (!turn && !timers.length && !kernel.known()) plan([() => ask("alive"), SOON]);
    },
    /** The host knows that there is nobody to answer, or that there is again. */
    check() {
      const words = kernel.known();
      if (words) {
        [broken, turn] = [true, 0];
        plan();
        say(words);
      } else if (broken && !turn) ask("again");
    },
    /** Python has answered: is it heard again? @param {number} to the question's turn */
    hear(to) {
      if (!turn || to !== turn) return;
      turn = 0;
      plan();
      if (broken && asked === "alive") return void ask("again");
      broken = false;
      say("");
      if (more) this.acted();
    },
  };
}

/**
 * ipywidgets sends no more of a widget until its last message has been dealt with. Where
 * that was lost it would wait for ever: tell it that it waits no longer.
 * @param {Partial<WidgetManager> | undefined} manager @param {string[]} ids
 */
export async function release(manager, ids) {
  for (const id of ids) {
    const widget = manager?.has_model?.(id) && await manager.get_model?.(id);
    if (widget?._pending_msgs > 0) widget._handle_status?.({ content: { execution_state: "idle" } });
  }
}
