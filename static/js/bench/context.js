// What belongs to the topic, above the work: open or shut as it was left. Opened by its key, it can be scrolled by keys.
import { leave } from "./to-work.js";
import { tell, worded } from "../web/words.js";

const STORED = "assay.context-shut";

export function startContext() {
  const context = document.querySelector("[data-context]");
  if (!context) return;
  try { context.open = localStorage.getItem(STORED) !== "1"; } catch { /* open */ }
  context.querySelector("summary").addEventListener("click", () => setTimeout(() => {
    try { localStorage.setItem(STORED, context.open ? "0" : "1"); } catch { /* for this page only */ }
    if (context.open) context.querySelector("[data-context-body]").focus({ preventScroll: true });
    else if (document.activeElement.matches("[data-context-body]")) leave(document.activeElement);
    if (!context.open) tell(document.querySelector("[data-did]"), worded("What belongs to the topic is hidden."));
  }));
}
