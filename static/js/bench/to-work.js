const JUDGED = "[data-answer], .string[aria-current] [data-words], [data-current] > .nugget, .responses .thing-label, .vote[data-here] fieldset, [data-here] [data-box]";

/** The focus goes to what is judged, as where what had it has gone or is left. */
export function toWork() {
  document.querySelector(JUDGED)?.focus({ preventScroll: true });
}
