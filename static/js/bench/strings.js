// The strings of a bench: which one is in hand, the words marked in it by keys or pointer, its document below (opened-document.js).
import { onwardBy } from "./direction.js";
import { readMarked } from "./marked-words.js";
import { createOpened } from "./opened-document.js";
import { shortened } from "./status-line.js";
import { tell, worded, written } from "../web/words.js";
import { markWords } from "../writing/words.js";

export function startStrings(bench, { onSelect = () => {} } = {}) {
  const holder = bench.querySelector("[data-strings]");
  const say = (text) => tell(bench.querySelector("[data-did]"), text);
  const sayMarked = () => say(worded("Marked: “{words}”", { words: written(shortened(String(document.getSelection()), 80), words(current)) }));
  let current = null;
  let lastKey = null;
  let marked = null; // where the marked words stand, read before a key or a click takes the selection away

  for (const sign of ["keydown", "pointerdown"]) {
    document.addEventListener(sign, (event) => {
      lastKey = sign === "keydown" ? event : null;
      marked = readMarked();
    }, { capture: true });
  }

  const all = () => [...holder.querySelectorAll("[data-string]")].filter((each) => !each.closest("[hidden]"));
  const words = (string) => string.querySelector("[data-words]");

  const select = (string, focus = true) => {
    if (!string) return;
    current?.removeAttribute("aria-current");
    current = string;
    current.setAttribute("aria-current", "true");
    if (focus) words(string).focus({ preventScroll: true });
    string.scrollIntoView({ block: "nearest" });
    onSelect(string);
  };

  const step = (by) => {
    const shown = all();
    const next = Number.isFinite(by) ? shown[shown.indexOf(current) + by] : shown.at(by > 0 ? -1 : 0);
    const isOther = next !== current;
    if (isOther) select(next);
    return Boolean(next && isOther);
  };

  holder.addEventListener("focusin", (event) => {
    const string = event.target.closest("[data-string]");
    if (string && string !== current) select(string, false);
  });
  holder.addEventListener("click", (event) => {
    const string = event.target.closest("[data-string]");
    if (string && document.getSelection().isCollapsed) select(string, event.target.matches("[data-words]"));
    else if (string && string !== current) select(string, false);
  });

  bench.querySelector("[data-words-key]")?.addEventListener("click", () => {
    if (!current) select(all()[0]);
    const by = current && lastKey ? onwardBy(lastKey.key, words(current).textContent) : 1;
    if (current) sayMarked(markWords(words(current), by < 0 ? "backward" : "forward", lastKey?.shiftKey));
  });

  bench.querySelector("[data-whole-string]")?.addEventListener("click", () => {
    if (!current) select(all()[0]);
    if (current) sayMarked(document.getSelection().selectAllChildren(words(current)));
  });

  const documents = createOpened(bench, { say, current: () => current });

  return {
    all, select, step,
    opened: documents.opened,
    /** Where the string in hand stands among those in sight. */
    place: () => current && worded("{unit} {place} of {all}", { unit: bench.dataset.unit, place: all().indexOf(current) + 1, all: all().length }),
    /** Nothing is in hand until a string is selected again. */
    leave() {
      current?.removeAttribute("aria-current");
      current = null;
    },
    openTopicDocument: documents.openByDocno,
    sayOpened: documents.sayOpened,
    openDocumentOf: documents.openOf,
    followDocument: documents.follow,
    openText: documents.openText,
    get current() { return current; },
    /** Words that were taken are not marked any more, so that what comes next does not take them again. */
    forgetMarked() {
      document.getSelection().removeAllRanges();
      marked = null;
    },
    get marked() { return marked; },
    get lastKey() { return lastKey; },
  };
}
