// Of many strings the page shows a window: another one is a page of its own, which begins where one came from.
import { worded } from "../web/words.js";

const ARRIVED = { "#first-string": 0, "#last-string": -1 };

export function createStringWindow({ bench, say, outbox }, strings) {
  return {
    /** Go on to the window before or after, once all that was said is saved. */
    turn(by) {
      const link = bench.querySelector(`[data-turn="${Math.sign(by)}"]`);
      const go = () => location.assign(`${link.href}#${by > 0 ? "first" : "last"}-string`);
      if (!link) return void say(by > 0 ? worded("This is the last {unit}.", bench.dataset) : worded("This is the first {unit}.", bench.dataset));
      if (!outbox.waiting) return void go();
      say(worded("Saving first. Then the page turns."));
      outbox.whenSent(({ refused }) => { if (!refused) go(); });
    },

    /** Take the string in hand with which one arrives here. */
    arrive() {
      if (location.hash in ARRIVED) strings.select(strings.all().at(ARRIVED[location.hash]));
    },
  };
}
