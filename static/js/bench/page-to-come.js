// Benches of plain pages, each act of which loads the page anew: a key that is pressed before it has come would be about
// what lies there now, and was meant for what comes. It does nothing, and that is said.
import { isTyping } from "./keys.js";
import { worded } from "../web/words.js";

const LONE = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "Tab", "Escape"]);

// Another page comes in place of this one: not beside it, as a file, to a mail, or to a place further down.
function leadsAway(link) {
  const isHere = link.hash && link.href.split("#")[0] === location.href.split("#")[0];
  return !link.target && !link.hasAttribute("download") && link.protocol.startsWith("http") && !isHere;
}

/**
 * To be called before the bench listens to keys. Gives a function that says whether a page is to come: for what a script sends,
 * which knows when it is answered.
 */
export function waitForPage(say) {
  let isToCome = false;
  let pressed = [];
  const begin = (event) => { isToCome ||= !event.defaultPrevented; };
  addEventListener("submit", begin);
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (link && leadsAway(link) && !event.ctrlKey && !event.metaKey && !event.shiftKey) begin(event);
  });
  addEventListener("pageshow", () => { [isToCome, pressed] = [false, []]; }); // one comes back to it
  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, altKey, metaKey, target } = event;
    if (key === "Escape") isToCome = false; // the browser stops loading
    if (!isToCome || ctrlKey || altKey || metaKey || LONE.has(key) || isTyping(target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat) return;
    pressed.push(key === " " ? worded("Space") : key);
    say(worded("The next page is still coming, so these keys did nothing: {keys}", { keys: pressed.join(" ") }));
  }, { capture: true });
  return (isComing) => { [isToCome, pressed] = [isComing, []]; };
}
