// What a key presses: the first element that can be used of those which name it by data-key.
import { keyOf } from "./moved-keys.js";

/** What a key presses there, or null. Of two with the same key it is the one in the column beside the work, if the focus is there. */
export function elementFor(key, scope) {
  const name = key === " " ? "Space" : key;
  const beside = document.activeElement?.closest("dialog")?.querySelectorAll("[data-key]") ?? [];
  const isMeant = (element) => keysOf(element).includes(name) && isUsable(element);
  return [...beside, ...scope.querySelectorAll("[data-key]")].find(isMeant) ?? null;
}

/** The keys of an element, as its person has them. */
export function keysOf(element) {
  return element.dataset.key.split(" ").map((token) => keyOf(token, element));
}

/** Whether an element is in sight and takes a click. */
export function isUsable(element) {
  return !element.disabled && element.getAttribute("aria-disabled") !== "true" && element.checkVisibility();
}
