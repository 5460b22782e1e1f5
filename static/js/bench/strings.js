// The strings of a bench: which one is in hand, the words marked in it by keys or pointer, its document below.
import { showMarkTools } from "./marks.js";
import { markWords } from "../writing/words.js";
import { onwardBy } from "./direction.js";
import { selectedSpan } from "./spans.js";
import { shortened } from "./status-line.js";
import { replaceIn } from "./to-work.js";
import { askServer } from "../web/asking.js";
import { tell, worded, written } from "../web/words.js";

export function startStrings(bench, { onSelect = () => {} } = {}) {
  const holder = bench.querySelector("[data-strings]");
  const say = (text) => tell(bench.querySelector("[data-did]"), text);
  const sayMarked = () => say(worded("Marked: “{words}”", { words: written(shortened(String(document.getSelection()), 80), words(current)) }));
  const opened = bench.querySelector("[data-opened]");
  let [current, lastKey] = [null, null];
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

  const openDocument = async (address) => {
    const response = await askServer(address, { headers: { "X-Fragment": "1" } }).catch(() => null);
    const html = response?.ok && !response.redirected ? await response.text() : null;
    opened.hidden = false;
    if (html === null) replaceIn(opened, worded("The document can't be loaded now. Close it and try again."));
    else replaceIn(opened, ...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    useBrackets(opened);
    showMarkTools(opened);
    current?.scrollIntoView({ block: "nearest" });
  };
  const closeDocument = () => { replaceIn(opened); opened.hidden = true; return worded("No document is open."); };
  const addressOf = (string, search = "") => `${bench.dataset.base}strings/${string.dataset?.string ?? string}/${search}`; // a string of the page, or an item's id
  const documentAddress = (docno, search = "") => `${bench.dataset.base}documents/${docno.split("/").map(encodeURIComponent).join("/")}/${search}`;
  const addressOfOpened = (search) => {
    const { openedItem, openedDocno } = opened.querySelector(".opened-document").dataset;
    return openedItem ? addressOf(openedItem, search) : documentAddress(openedDocno, search);
  };

  bench.querySelector("[data-document-key]")?.addEventListener("click", () => {
    const id = opened.querySelector("[data-opened-item]")?.dataset.openedItem;
    if (!opened.hidden && id === current?.dataset.string) say(closeDocument());
    else if (!current) say(worded("Take a {unit} in hand first (j), or open a document.", bench.dataset));
    else openDocument(addressOf(current)).then(() => say(worded("Document: {docno}", { docno: shortened(opened.querySelector(".docno, .empty p")?.textContent ?? opened.textContent, 80) })));
  });
  bench.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("[data-open-document], [data-view], [data-close-document]");
    if (!link) return;
    event.preventDefault();
    if (link.matches("[data-close-document]")) closeDocument();
    else if (link.matches("[data-view]")) openDocument(addressOfOpened(new URL(link.href).search));
    else openDocument(addressOf(link.closest("[data-string]")));
  });
  useBrackets(opened);

  return {
    all, select, step, opened,
    /** Where the string in hand stands among those in sight. */
    place: () => current && worded("{unit} {place} of {all}", { unit: bench.dataset.unit, place: all().indexOf(current) + 1, all: all().length }),
    /** Nothing is in hand until a string is selected again. */
    leave() {
      current?.removeAttribute("aria-current");
      current = null;
    },
    openTopicDocument: (docno) => openDocument(documentAddress(docno)),
    openDocumentOf: (string) => openDocument(addressOf(string, "?view=text")),
    openText: () => openDocument(addressOfOpened("?view=text")),
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

/** Where the selected words stand: fields of a source ({item} or {docno}, quote, span), or null. */
function readMarked() {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.anchorNode) return null;
  const { anchorNode } = selection;
  const from = anchorNode instanceof Element ? anchorNode : anchorNode.parentElement;
  const holder = from?.closest("[data-words], [data-text]");
  const span = holder && selectedSpan(holder, selection);
  if (!span || !span.quote.trim()) return null;
  if (holder.matches("[data-words]")) {
    return { item: holder.closest("[data-string]").dataset.string, quote: span.quote, span: JSON.stringify(span) };
  }
  const { document: docno } = holder.parentElement.querySelector("[data-document]").dataset;
  return { docno, quote: span.quote, span: JSON.stringify({ ...span, text_sha256: holder.dataset.textSha256 }) };
}

// n and p are taken on these benches, so marks in the document are stepped through by ] and [.
function useBrackets(opened) {
  for (const button of opened.querySelectorAll("[data-mark-step]")) {
    const key = button.dataset.markStep === "1" ? "]" : "[";
    button.dataset.key = key;
    button.querySelector("kbd").textContent = key;
  }
}
