// Where the server says what stands on the bench after each change, the next key is about what its answer will show: keys
// that come before it wait for it, in their order, so that typing fast does what typing slowly does.
import { elementFor } from "./key-targets.js";
import { isTyping } from "./keys.js";
import { meant } from "./moved-keys.js";
import { leave } from "./to-work.js";
import { worded } from "../web/words.js";

const LONE = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "Tab"]);

/**
 * `isBusy()`: whether an answer is awaited; `waits(element)`: whether what a key presses is about what that will show;
 * `told(keys)`: what is said of the keys that wait. Where held keys open a field, `skips(element)` says what those behind
 * it may not press, and `onSkipped(key)` hears of each.
 */
export function holdKeys({ isBusy, waits, say, told = toldOfSaving, skips = null, onSkipped = () => {} }) {
  const held = [];
  let isReplaying = false;
  let isClosing = false; // a dialog that a held key answered tells its answer a little later

  const line = document.querySelector("[data-did]");
  let said = ""; // "" as long as it is not these keys that are told
  new MutationObserver(() => {
    if (!said || line.textContent.endsWith(said)) return;
    line.ariaLive = null;
    said = "";
  }).observe(line, { childList: true });

  const isWaiting = () => isClosing || isBusy();

  document.addEventListener("keydown", (event) => {
    const { ctrlKey, altKey, metaKey, shiftKey, target } = event;
    const key = meant(event);
    const sends = held.length > 0 && key === "Enter" && (ctrlKey || metaKey); // what a held key opened
    if (((ctrlKey || altKey || metaKey) && !sends) || LONE.has(key) || isTyping(target)) return;
    const element = elementFor(key, document) ?? namedBy(key);
    if (element?.closest("[data-notices], [data-login-again]")) return; // what an answer may wait for: one reads what is new, one logs in
    const mustWait = isWaiting() && waits(element);
    if (!mustWait && (isReplaying || !held.length)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat) return;
    if (isReplaying) held.unshift({ key, shiftKey, ctrlKey: sends }); // it completed a number (typed-number.js), and that is on its way now
    else held.push({ key, shiftKey, ctrlKey: sends });
    said = told(held.map((each) => (each.key === " " ? worded("Space") : each.key)).join(" "));
    say(said);
    line.ariaLive = held.length > 1 ? "off" : null; // it is not read anew, whole, at each further key
  }, { capture: true });

  const drop = () => { for (const { key } of held.splice(0)) onSkipped(key); };

  /** To be called once an answer is shown; `drop` where what the keys are about does not come. */
  const goOn = () => {
    while (held.length && !isWaiting()) {
      const next = held.shift();
      const isText = isTyping(document.activeElement);
      const element = skips && !isText ? elementFor(next.key, document) : null;
      if (skips?.(element)) {
        onSkipped(next.key);
        continue;
      }
      isReplaying = true;
      const dialog = press(next);
      isReplaying = false;
      if (element && waits(element) && !isTyping(document.activeElement)) drop(); // it opened no field: the rest is no text
      if (!dialog) continue;
      isClosing = true;
      dialog.addEventListener("close", () => {
        isClosing = false;
        goOn();
      }, { once: true });
    }
    if (!held.length && said && line.textContent.endsWith(said)) say("");
  };
  return { goOn, drop };
}

function toldOfSaving(join) {
  return worded("Saving first. Then comes: {join}", { join });
}

// What a key presses at other times: redo can't be pressed before the answer to undo.
function namedBy(key) {
  return document.querySelector(`[data-key~="${CSS.escape(key)}"]`);
}

// Gives back the dialog that it closed, if any.
function press({ key, shiftKey, ctrlKey }) {
  const target = document.activeElement ?? document.body;
  if (isTyping(target)) {
    const dialog = target.closest("dialog[open]");
    type(target, { key, ctrlKey });
    return dialog && !dialog.open ? dialog : null;
  }
  const event = new KeyboardEvent("keydown", { key, shiftKey, ctrlKey, bubbles: true, cancelable: true });
  if (!target.dispatchEvent(event)) return null;
  const presses = { " ": "button, summary, input", Enter: "button, summary, a[href]" }[key];
  if (presses && target.matches(presses)) target.click();
  return null;
}

// Into a field that a held key opened, as somebody's own typing, which the field tells of when it is left.
function type(field, { key, ctrlKey }) {
  const event = new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true });
  if (!field.dispatchEvent(event)) return; // the field has a way of its own, as with Enter where it is one line
  const edge = { Home: 0, End: field.value.length, ArrowLeft: Math.max(field.selectionStart - 1, 0), ArrowRight: field.selectionEnd + 1 }[key];
  if (edge !== undefined) field.setSelectionRange(edge, edge);
  else if (ctrlKey) leave(field);
  else if (key === "Enter" && field.matches("textarea")) document.execCommand("insertText", false, "\n");
  else if (key === "Enter") field.form?.requestSubmit(field.form.querySelector("button:not([type=button])"));
  else if (key === "Escape" && field.closest("dialog:modal")) field.closest("dialog").close(); // as the browser does
  else if (key === "Escape") leave(field);
  else if (key === "Backspace") document.execCommand("delete");
  else if (key === "Delete") document.execCommand("forwardDelete");
  else if (key.length === 1) document.execCommand("insertText", false, key);
}
