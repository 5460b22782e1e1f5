// n and p go from mark to mark: first those of what is judged, which have the numbers from 1, then the words. In the text
// they are elements of ours; in the framed page they have anchors, and a frame that gets a new fragment scrolls without
// loading anew. A document opens at the first mark of what is judged: a framed page by its address, a text here.
import { showFound, startFindWords } from "./find-words.js";
import { showTranslations } from "./translations.js";
import { worded } from "../web/words.js";
export function startMarks() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-mark-step]");
    if (button) step(button.closest("[data-document]"), Number(button.dataset.markStep));
  });
  document.addEventListener("htmx:afterSwap", () => showMarkTools());
  startFindWords();
  showMarkTools();
}

/** Show the buttons wherever something is marked, and each text that is new at the mark at which it opens. */
export function showMarkTools(root = document) {
  showTranslations(root);
  for (const bar of root.querySelectorAll("[data-document]")) {
    const tools = bar.querySelector("[data-mark-tools]");
    const isNew = !("isShown" in bar.dataset);
    bar.dataset.isShown = "";
    if (isNew) showFound(bar);
    tools.hidden = Number(bar.dataset.marks) === 0;
    const text = bar.parentElement.querySelector("[data-text]");
    if (isNew && text && bar.dataset.place) openAt(text, point(text, Number(bar.dataset.place)));
  }
}

// At once, whatever motion is wanted; what is judged, above the document, stays in sight.
function openAt(text, mark) {
  if (!mark) return;
  text.scrollTop += mark.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
  text.dataset.openedAt = text.scrollTop;
}

// The mark with this number, from 1, made the one that is pointed at.
function point(text, place) {
  for (const mark of text.querySelectorAll("mark.here")) {
    mark.classList.remove("here");
    mark.removeAttribute("aria-current");
  }
  const mark = text.querySelector(`[data-mark="${place}"]`);
  for (let part = mark; part?.matches("mark") && (part === mark || !part.dataset.mark); part = part.nextElementSibling) part.classList.add("here");
  mark?.setAttribute("aria-current", "location");
  return mark;
}

// "place 2 of 3", "the likeliest place", "word 1 of 12".
function nameOf(bar, place) {
  const first = Number(bar.dataset.first);
  if (place > first) return worded("word {first} of {first2}", { first: place - first, first2: bar.dataset.marks - first });
  return "isLikely" in bar.dataset ? worded("the likeliest sentence") : worded("place {place} of {first}", { place, first });
}

function step(bar, by) {
  const total = Number(bar.dataset.marks);
  const before = Number(bar.dataset.place ?? (by > 0 ? 0 : 1));
  const place = ((before - 1 + by + total) % total) + 1;
  bar.dataset.place = place;
  bar.querySelector("[data-mark-place]").textContent = nameOf(bar, place);
  const frame = bar.parentElement.querySelector("[data-frame]");
  if (frame) {
    const address = new URL(frame.src);
    address.hash = `assay-mark-${place}`;
    frame.contentWindow.location.replace(address.href); // in place of the mark before, which "Back" would go to
    return;
  }
  point(bar.parentElement, place)?.scrollIntoView({ block: "center" });
}

/** A click into a framed page would take the keys away: the focus comes back. Tab still goes into the frame. */
export function keepKeys() {
  addEventListener("blur", () => setTimeout(() => {
    const frame = document.activeElement;
    if (frame?.tagName === "IFRAME" && frame.matches(":hover")) frame.blur();
  }));
}
