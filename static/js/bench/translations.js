// Translations beside a document: open or shut as they were left last, scrolled to what is marked in them first.
import { tell, worded } from "../web/words.js";

const STORED = "assay.translations-shut";

/** Show those in `root` as they were left. */
export function showTranslations(root = document) {
  for (const holder of root.querySelectorAll("[data-translations]:not([data-shown])")) {
    holder.dataset.shown = "";
    try { holder.open = localStorage.getItem(STORED) !== "1"; } catch { /* open */ }
    holder.addEventListener("toggle", () => {
      try { localStorage.setItem(STORED, holder.open ? "0" : "1"); } catch { /* for this document only */ }
      if (holder.open) scrollToMarks(holder);
    });
    holder.querySelector("summary").addEventListener("click", () => setTimeout(() => sayWhether(holder)));
    if (holder.open) scrollToMarks(holder);
  }
}

// Below the text in small windows, where it is brought into view.
function sayWhether(holder) {
  const line = document.querySelector("[data-did]");
  if (line) tell(line, holder.open ? worded("The translation is shown.") : worded("The translation is hidden."));
  if (holder.open) holder.scrollIntoView({ block: "nearest" });
}

/** Why there is nothing to take as evidence: no words are selected, or words of a translation. */
export function whyNothing() {
  const node = document.getSelection()?.anchorNode;
  const isOfTranslation = (node instanceof Element ? node : node?.parentElement)?.closest("[data-translation]");
  return isOfTranslation ? worded("These are words of the translation. Select words in the original's text, or press v to choose sentences.")
    : worded("Nothing is selected. Select words in the document's text, or press v to choose sentences.");
}

function scrollToMarks(holder) {
  const mark = holder.querySelector("mark.answer, mark.likely") ?? holder.querySelector("mark");
  if (mark && holder.scrollTop === 0) holder.scrollTop = mark.getBoundingClientRect().top - holder.getBoundingClientRect().top - holder.clientHeight / 3;
}
