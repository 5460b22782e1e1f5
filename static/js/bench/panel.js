// The panel beside the work: a link with data-opens-panel opens it, htmx puts the page in; the same key closes it, and the
// focus is back where it was.
import { worded } from "../web/words.js";
export function startPanel() {
  const panel = document.getElementById("side-panel");
  if (!panel) return;
  const body = panel.querySelector("#side-body");
  let opener = null;
  let before = null; // what had the focus

  const tell = (words) => {
    const said = document.createElement("p");
    said.role = "alert";
    said.textContent = words;
    body.replaceChildren(said);
  };
  const close = () => {
    const isElsewhere = !panel.contains(document.activeElement) && document.activeElement !== document.body;
    panel.close();
    const place = before?.isConnected && before !== document.body ? before : document.querySelector("[data-answer]") ?? opener;
    if (!isElsewhere) place?.focus({ preventScroll: true });
    opener = null;
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-opens-panel]");
    if (!link) return;
    event.preventDefault();
    if (panel.open && opener === link) {
      event.stopImmediatePropagation();
      close();
      return;
    }
    if (!panel.open) before = document.activeElement;
    opener = link;
    document.querySelector("[data-did]")?.replaceChildren(); // what was done before is not said of what opens
    panel.querySelector("[data-panel-title]").textContent = link.dataset.opensPanel;
    body.textContent = worded("Loading…");
    if (panel.open) return;
    panel.show();
    body.focus({ preventScroll: true }); // keys scroll it, and none presses a button of it
  }, { capture: true });

  panel.querySelector("[data-panel-close]").addEventListener("click", close);
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel.open && !panel.contains(event.target)) close();
  });
  body.addEventListener("htmx:afterSwap", () => {
    const section = body.querySelector("#section");
    if (section) section.tabIndex = -1; // what is read is what is shown, not all of the guide
    section?.scrollIntoView();
    (body.querySelector(".result-list a") ?? body.querySelector("input[type=search]") ?? section)?.focus({ preventScroll: Boolean(section) });
  });
  for (const failure of ["htmx:sendError", "htmx:responseError"]) {
    document.addEventListener(failure, (event) => {
      if (panel.contains(event.detail.target)) tell(worded("This can't be loaded now. Close it and try again."));
    });
  }
}
