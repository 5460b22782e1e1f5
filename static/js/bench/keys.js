// Keys. An element with data-key="j ArrowDown" is clicked (a field: focused) when one of its keys is pressed.
// No key acts while somebody types in a field, with Ctrl, Alt or Meta held, or after keys were switched off.
import { describeKeys } from "./key-list.js";
import { elementFor, isUsable, keysOf } from "./key-targets.js";
import { pressed, startMovedKeys } from "./moved-keys.js";
import { quiet } from "./status-line.js";
import { isSending, leave } from "./to-work.js";
import { tell, worded } from "../web/words.js";

const STORED = "assay.keys-off";
const TYPING = "input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable=true]";

export function startKeys() {
  document.addEventListener("keydown", onKey);
  startMovedKeys();
  for (const element of document.querySelectorAll("[data-key][hidden]")) {
    if (element.dataset.key === "?") element.hidden = false;
  }
  for (const opener of document.querySelectorAll("[data-open-dialog]")) {
    opener.addEventListener("click", () => openDialog(document.getElementById(opener.dataset.openDialog)));
  }
  const box = document.querySelector("[data-keys-enabled]");
  if (!box) return;
  box.checked = !areOff();
  box.addEventListener("change", () => store(box.checked));
  box.closest("dialog").addEventListener("close", sayWhetherOff);
  sayWhetherOff();
}

/** How a click was made: "key" for a key (ours, Enter or Space on a button), "click" for a pointer. */
export function howOf(event) {
  return event.detail === 0 ? "key" : "click";
}

/** Whether an element is one that takes typed text. */
export function isTyping(element) {
  return Boolean(element?.matches?.(TYPING));
}

function onKey(event) {
  if (isSending(event) && event.target.matches?.("[data-ask-form] textarea")) {
    event.preventDefault();
    event.target.form.requestSubmit();
    return;
  }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.isComposing || !pressed(event)) return;
  if (event.key === "Escape" && isTyping(event.target)) {
    leave(event.target);
    return;
  }
  if (isTyping(event.target) || (areOff() && event.key !== "?")) return;
  if (keepsItsOwn(event)) return;
  const dialog = document.querySelector("dialog:modal");
  const element = elementFor(pressed(event), dialog ?? document);
  if (!element) return void sayWhyNot(event, dialog ?? document);
  event.preventDefault();
  if (event.repeat && element.dataset.keyRepeat === undefined) return;
  if (isTyping(element)) {
    element.focus();
    element.select?.();
  } else element.click();
}

// Space and Enter press the control that has the focus; arrows move between radio buttons.
function keepsItsOwn(event) {
  const onControl = event.target.closest?.("button, a[href], summary, input");
  if (event.key === " " || event.key === "Enter") return Boolean(onControl);
  if (["Home", "End"].includes(event.key)) return Boolean(event.target.closest?.("[role=region][tabindex='0'], #side-panel")); // a text that scrolls
  return event.key.startsWith("Arrow") && event.target.matches?.("input[type=radio]");
}

// What is not there now may say why: data-why-not of a hidden part, told in the status line. Of other keys it says that
// they do nothing.
function sayWhyNot(event, scope) {
  const status = document.querySelector("[data-did]");
  for (const element of status ? scope.querySelectorAll("[data-why-not] [data-key]") : []) {
    const why = element.closest("[data-why-not]").dataset.whyNot;
    if (!why || isUsable(element) || !keysOf(element).includes(pressed(event))) continue;
    event.preventDefault();
    tell(status, why);
    dispatchEvent(new Event("assay-closed")); // unless it is open by now (fresh.js)
    return;
  }
  const late = document.querySelector("[aria-busy=true] > .bench-thing > .notice")?.textContent; // the item has not come
  if (status && scope === document && /^\S$/u.test(event.key)) tell(status, late ?? worded("“{key}” does nothing here now. ? shows all keys.", { key: event.key }));
}

function openDialog(dialog) {
  const list = dialog.querySelector("[data-key-list]");
  if (list) list.replaceChildren(...describeKeys());
  quiet();
  if (!dialog.open) dialog.showModal();
}

function sayWhetherOff() {
  const status = document.querySelector("[data-did]");
  if (status && areOff()) status.textContent = worded("Keys are off. ? leads to where they are switched on.");
}

function areOff() {
  try { return localStorage.getItem(STORED) === "1"; } catch { return false; }
}

function store(on) {
  try { localStorage.setItem(STORED, on ? "0" : "1"); } catch { /* on for this page only */ }
}
