// Numbers typed digit by digit on a bench. No clock decides what is meant: a number that no longer one begins with is taken
// at once; any other stands in sight as "1_" until the next key, click, change of focus or leaving of the page completes it.
// It belongs to what was in hand at its first digit. Escape drops it.
// A key that would say the opposite of what the number said may be told to take it alone, right after it, too.
import { meant } from "./moved-keys.js";
import { sayOn } from "./status-line.js";

const NO_KEYS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock", "ScrollLock"]);

/**
 * `numbers()` are those there are, as text; `hold()` gives what the number will be said of, or null where there is nothing;
 * `choose(number, held)` is called once; `show(typed, dropped)` tells what was typed so far, "" once it was taken or dropped.
 * `taker` is a key that after a number does nothing but take it.
 */
export function createTypedNumber({ numbers, hold, choose, show, taker = "" }) {
  let typed = "";
  let isFresh = false; // the last key was the end of a number
  let held = null;

  const begins = (text) => numbers().some((number) => number.startsWith(text));
  const mayGrow = () => numbers().some((number) => number !== typed && number.startsWith(typed));
  const take = () => {
    const taken = [typed, held];
    typed = "";
    held = null;
    show("");
    return taken;
  };
  const complete = () => { if (typed) choose(...take()); };
  const goesOn = (event) => /^\d$/.test(meant(event)) && !event.ctrlKey && !event.altKey && !event.metaKey && begins(typed + meant(event));

  document.addEventListener("keydown", (event) => {
    if (NO_KEYS.has(event.key)) return;
    const isTaker = event.key === taker && (typed || isFresh);
    isFresh = false;
    if (isTaker) {
      complete();
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    if (!typed) return;
    if (event.key === "Escape") {
      show("", take()[0]);
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (!goesOn(event)) {
      complete();
      sayOn(); // the key says what it does itself
    }
  }, { capture: true });
  // A click that a key makes (keys.js) is not trusted: its key was seen above.
  document.addEventListener("click", (event) => { if (event.isTrusted) complete(); }, { capture: true });
  for (const sign of ["pointerdown", "focusin", "change", "submit", "visibilitychange"]) {
    document.addEventListener(sign, () => { isFresh = false; complete(); }, { capture: true });
  }
  for (const sign of ["beforeunload", "pagehide"]) addEventListener(sign, complete, { capture: true });
  addEventListener("blur", (event) => { if (event.target === window) complete(); });

  return (digit) => {
    if (typed && !begins(typed + digit)) complete();
    if (!typed) held = hold();
    if (held === null) return;
    typed += digit;
    const isWhole = !mayGrow();
    if (isWhole) complete();
    else show(typed);
    isFresh = isWhole;
  };
}
