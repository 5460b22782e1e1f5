// The words that somebody looks for in a document: the server shows it again with their places marked, as a view of it.
import { leave } from "./to-work.js";
import { worded } from "../web/words.js";

export function startFindWords() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !event.target.matches?.("[data-find-words]")) return;
    event.preventDefault();
    const link = event.target.closest("[data-document]").querySelector("[data-view][aria-current]");
    const address = new URL(link.href);
    if (event.target.value.trim()) address.searchParams.set("find", event.target.value);
    else address.searchParams.delete("find");
    link.href = address.href;
    leave(event.target);
    link.click();
  });
}

/** In a document that is new on the page: the field, and what was found. */
export function showFound(bar) {
  const field = bar.querySelector("[data-find-words]");
  if (!field) return;
  field.parentElement.hidden = false;
  const line = document.querySelector("[data-did]");
  if (!field.value || !line) return;
  const isThere = Number(bar.dataset.first) > 0 && !("isLikely" in bar.dataset);
  const words = { words: field.value, place: bar.querySelector("[data-mark-place]").textContent };
  line.textContent = isThere ? worded("“{words}”: {place}", words) : worded("“{words}” is not in this document as it stands.", words);
}
