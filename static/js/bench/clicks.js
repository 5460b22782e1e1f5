import { addSaid } from "./status-line.js";
import { worded } from "../web/words.js";

const DOUBLE_MS = 350;
const BRINGS_NEXT = "button[name=value], [data-later], [data-same-again], [data-same-all], [data-review-now], [data-review-rest], [data-draft-do], [data-nugget] button, .vote label, [data-act]:not([data-act=undo], [data-act=redo], [data-act=across], [data-act=document]), form:has([name=do]) button, [data-picked] button, [data-picked-remove]";

/** The second click of a double click does nothing where the first brings something else under the pointer: nobody has looked at that. */
export function stopSecondClicks(bench) {
  let last = 0;
  bench.addEventListener("click", (event) => {
    if (!event.isTrusted || !event.detail || !event.target.closest(BRINGS_NEXT)) return;
    const isSecond = event.detail > 1 && event.timeStamp - last < DOUBLE_MS;
    last = event.timeStamp;
    if (!isSecond) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    addSaid(worded("The second click of a double click did nothing."));
  }, { capture: true });
}

/** A click does what stands beside the first selector that it fits; on a link with a modifier it is the browser's own. */
export function onClicks(root, actions) {
  root.addEventListener("click", (event) => {
    const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey;
    for (const [selector, act] of actions) {
      const element = event.target.closest(selector);
      if (!element) continue;
      if (hasModifier && element.matches("a[href]")) return;
      event.preventDefault();
      act(element, event);
      return;
    }
  });
}
