// Keys that come before the item they are about. What it is judged with does nothing, and that is said; a key that opens a
// field of it waits for it, with all that is typed on.
import { holdKeys } from "./held-keys.js";
import { isTyping } from "./keys.js";
import { worded } from "../web/words.js";

const opens = (element) => isTyping(element) || Boolean(element?.matches("[data-ask-open]"));

/** `holder` shows the item, and is busy until it has come. */
export function createEarlyKeys({ bench, holder, say }) {
  let early = [];

  const didNothing = (key) => {
    early.push(key);
    say(worded("The next item was still coming, so these keys did nothing: {keys}", { keys: early.join(" ") }));
  };
  const { goOn, drop } = holdKeys({
    isBusy: () => holder.hasAttribute("aria-busy"),
    waits: (element) => holder.contains(element) && opens(element),
    skips: (element) => holder.contains(element) && !opens(element),
    told: (join) => worded("The next item is still coming. Then comes: {join}", { join }),
    onSkipped: didNothing, say,
  });
  bench.addEventListener("pointerdown", drop, { capture: true }); // it may bring another item

  return {
    didNothing,
    /** Once the item has come; and where it does not come. */
    goOn, drop,
    /** Another item is on its way. */
    begin() { early = []; },
  };
}
