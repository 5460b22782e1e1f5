import { addSaid } from "./status-line.js";
import { worded } from "../web/words.js";

const DOUBLE_MS = 350;
const ACTS = "button, label:has([type=radio])";
const EACH_COUNTS = "[data-key-repeat], [data-each-click]"; // steps, undo: who clicks fast means each

/** The second click of a double click does nothing: the first may have brought something else under the pointer, which nobody has looked at. */
export function stopSecondClicks(bench) {
  let last = 0;
  bench.addEventListener("click", (event) => {
    const element = event.target.closest(ACTS);
    if (!event.isTrusted || !event.detail || !element || element.matches(EACH_COUNTS)) return;
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
