// The document below the strings of a bench: that of a string, or one of the topic.
import { showMarkTools } from "./marks.js";
import { shortened } from "./status-line.js";
import { replaceIn } from "./to-work.js";
import { askServer } from "../web/asking.js";
import { worded } from "../web/words.js";

/** `current()` is the string in hand. */
export function createOpened(bench, { say, current }) {
  const opened = bench.querySelector("[data-opened]");

  // Whether it lies there now: what is asked for since, or closed, stays as it is.
  const open = async (address) => {
    wanted = address;
    const response = await askServer(address, { headers: { "X-Fragment": "1" } }).catch(() => null);
    const html = response?.ok && !response.redirected ? await response.text() : null;
    if (wanted !== address) return false;
    opened.hidden = false;
    if (html === null) replaceIn(opened, worded("The document can't be loaded now. Close it and try again."));
    else replaceIn(opened, ...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    useBrackets(opened);
    showMarkTools(opened);
    current()?.scrollIntoView({ block: "nearest" });
    return true;
  };
  const close = () => {
    wanted = "";
    replaceIn(opened);
    opened.hidden = true;
  };

  const addressOf = (id, search = "") => `${bench.dataset.base}strings/${id}/${search}`; // of an item, by its number
  const ofString = (string, search) => addressOf(string.dataset.string, search);
  const byDocno = (docno, search = "") => `${bench.dataset.base}documents/${docno.split("/").map(encodeURIComponent).join("/")}/${search}`;
  const ofOpened = (search) => {
    const { openedItem, openedDocno } = opened.querySelector(".opened-document").dataset;
    return openedItem ? addressOf(openedItem, search) : byDocno(openedDocno, search);
  };

  let wanted = opened.hidden ? "" : ofOpened(""); // the address that was asked for last
  const isOf = (string) => wanted.startsWith(ofString(string, ""));

  const sayOpened = () => {
    const docno = opened.querySelector(".docno, .empty p")?.textContent ?? opened.textContent;
    say(worded("Document: {docno}", { docno: shortened(docno, 80) }));
  };
  const toggle = async () => {
    const string = current();
    if (string ? isOf(string) : wanted) {
      close();
      say(worded("No document is open."));
    } else if (!string) say(worded("Take a {unit} in hand first (j), or open a document.", bench.dataset));
    else if (await open(ofString(string))) sayOpened();
  };

  bench.querySelector("[data-document-key]")?.addEventListener("click", toggle);
  bench.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("[data-open-document], [data-view], [data-close-document]");
    if (!link) return;
    event.preventDefault();
    if (link.matches("[data-close-document]")) close();
    else if (link.matches("[data-view]")) open(ofOpened(new URL(link.href).search));
    else open(ofString(link.closest("[data-string]")));
  });
  useBrackets(opened);

  return {
    opened, sayOpened,
    openByDocno: (docno) => open(byDocno(docno)),
    openOf: (string) => open(ofString(string, "?view=text")),
    /** Where the document of another string is open, that of this one takes its place. */
    follow: (string) => {
      const isOther = wanted.startsWith(`${bench.dataset.base}strings/`) && !isOf(string);
      const view = opened.querySelector(".tabs [aria-current]")?.dataset.view ?? "";
      if (isOther) open(ofString(string, view && `?view=${view}`));
    },
    openText: () => open(ofOpened("?view=text")),
  };
}

// n and p are taken on these benches, so marks in the document are stepped through by ] and [.
function useBrackets(opened) {
  for (const button of opened.querySelectorAll("[data-mark-step]")) {
    const key = button.dataset.markStep === "1" ? "]" : "[";
    button.dataset.key = key;
    button.querySelector("kbd").textContent = key;
  }
}
