const JUDGED = "[data-answer], .string[aria-current] [data-words], [data-current] > .nugget, .responses .thing-label, .vote[data-here] fieldset, [data-here] [data-box]";

/** The focus goes to what is judged, as where what had it has gone or is left. */
export function toWork() {
  document.querySelector(JUDGED)?.focus({ preventScroll: true });
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
