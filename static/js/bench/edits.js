// Benches whose server answers each edit with all that stands on them now. An edit says how many it was made after, and a
// key that is about what the answer will show waits for it.
import { holdKeys } from "./held-keys.js";

export function createEdits({ bench, outbox, say }) {
  const { edit } = bench.dataset;
  let goOn = () => {};

  return {
    isEdit: (entry) => entry.url === edit,

    /** How many edits stand before the next one: those on their way come before it. */
    count: () => Number(bench.dataset.edits) + outbox.waitingFor(edit),

    /** Whether the bench as the server shows it now has other edits than this one, which counts them from now on. */
    takeCount(found) {
      const isOther = found.dataset.edits !== bench.dataset.edits;
      bench.dataset.edits = found.dataset.edits;
      return isOther;
    },

    /** Hold the keys for which `waits(element)` says so while an answer is awaited. */
    hold(waits) { ({ goOn } = holdKeys({ isBusy: () => outbox.waitingFor(edit) > 0, waits, say })); },

    /** To be called once an answer is shown. */
    goOn: () => goOn(),
  };
}
