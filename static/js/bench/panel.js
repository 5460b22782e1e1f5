// The panel beside the work: a link with data-opens-panel opens it, htmx puts the page in, and what is read there gets the
// focus, once; the same key closes it, and the focus is back where it was.
import { holdKeys } from "./held-keys.js";
import { isTyping } from "./keys.js";
import { quiet } from "./status-line.js";
import { tell, worded } from "../web/words.js";

export function startPanel() {
  const panel = document.getElementById("side-panel");
  if (!panel) return;
  const body = panel.querySelector("#side-body");
  let opener = null;
  let before = null; // what had the focus
  let isComing = false; // a page with a field, which what is typed now is for

  const say = (text) => tell(document.querySelector("[data-did]"), text);
  const { goOn, drop } = holdKeys({
    isBusy: () => isComing,
    waits: () => true,
    say,
    told: (join) => worded("The search is opening. Then comes: {join}", { join }),
    onSkipped: () => say(worded("The search did not open, so the keys behind it did nothing.")),
  });
  const came = (isOpen) => {
    isComing = false;
    if (isOpen) goOn();
    else drop();
  };

  const close = () => {
    came(false);
    const isElsewhere = !panel.contains(document.activeElement) && document.activeElement !== document.body;
    panel.close();
    const place = before?.isConnected && before !== document.body ? before : document.querySelector("[data-answer]") ?? opener;
    if (!isElsewhere) place?.focus({ preventScroll: true });
    if (opener?.matches("[data-document-link]")) say(worded("No document is open."));
    opener = null;
  };
  const read = (element) => element.focus({ preventScroll: true }); // keys scroll it, and none presses a button of the bench

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-opens-panel]");
    if (!link) return;
    event.preventDefault();
    came(false);
    if (panel.open && opener === link) {
      event.stopImmediatePropagation();
      close();
      return;
    }
    if (!panel.open) before = document.activeElement;
    opener = link;
    isComing = "opensSearch" in link.dataset;
    quiet();
    panel.querySelector("[data-panel-title]").textContent = link.dataset.opensPanel;
    body.textContent = worded("Loading…");
    panel.open = true; // show() would have its button read first
  }, { capture: true });

  panel.querySelector("[data-panel-close]").addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel.open && !event.defaultPrevented) close();
  });
  body.addEventListener("htmx:afterSwap", () => {
    const section = body.querySelector("#section");
    if (section) section.tabIndex = -1; // what is read is what is shown, not all of the guide
    section?.scrollIntoView();
    const found = body.querySelector(".result-list a") ?? body.querySelector("input[type=search]") ?? section;
    if (found || !opener?.matches("[data-document-link]")) read(found ?? body); // a document stands beside its line
    else say(worded("Document: {docno}", { docno: body.querySelector(".docno")?.textContent.trim() ?? "" }));
    came(isTyping(document.activeElement));
  });
  for (const failure of ["htmx:sendError", "htmx:responseError"]) {
    document.addEventListener(failure, (event) => {
      if (!panel.contains(event.detail.target)) return;
      body.textContent = worded("This can't be loaded now. Close it and try again.");
      read(body);
      came(false);
    });
  }
}
