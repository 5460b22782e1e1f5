const JUDGED = "[data-answer], .string[aria-current] [data-words], [data-current] > .nugget, .responses .thing-label, .vote[data-here] fieldset, [data-here] [data-box], [data-begins]";

/** The focus goes to what is judged, as where what had it has gone or is left. */
export function toWork() {
  document.querySelector(JUDGED)?.focus({ preventScroll: true });
}

/** A page that begins where nothing has the focus has it on what is read first: the last of what its template marks so. */
export function toBegin() {
  if (document.activeElement === document.body) [...document.querySelectorAll("[data-begins]")].at(-1)?.focus({ preventScroll: true });
}

/** Other nodes take the place of those in a part of the page. A focus that was there goes to their text, else to what is judged. */
export function replaceIn(part, ...nodes) {
  const hadFocus = part.contains(document.activeElement);
  part.replaceChildren(...nodes);
  const text = part.querySelector("[data-text]");
  if (hadFocus && text) text.focus({ preventScroll: true });
  else if (hadFocus) toWork();
}

/** From a field back to it: what was typed there is kept. */
export function leave(field) {
  field.blur();
  toWork();
}

/** Whether a key is Ctrl+Enter, which sends what is typed. */
export function isSending(event) {
  return event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing && !event.defaultPrevented;
}
