// The list of keys (?): those that do something now, with what they do, and Mark as done from the start.
import { isUsable, keysOf } from "./key-targets.js";
import { nameOfKey } from "./moved-keys.js";
import { worded } from "../web/words.js";

const NAMES = {
  Space: worded("Space"), Home: worded("Home"), End: worded("End"), Delete: worded("Delete"), Escape: "Esc",
  ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→",
};

/** One element for each key or group of keys, in the order of the page. */
export function describeKeys() {
  const seen = new Set();
  const lines = [];
  for (const element of document.querySelectorAll("[data-key]")) {
    const keysHere = keysOf(element).join(" ");
    const whyNot = isUsable(element) ? "" : element.closest("[data-finish][hidden]")?.dataset.whyNot;
    if (seen.has(keysHere) || whyNot === undefined) continue;
    seen.add(keysHere);
    const line = document.createElement("li");
    const keys = document.createElement("span");
    for (const token of element.dataset.key.split(" ")) {
      const textContent = NAMES[token] ?? nameOfKey(token, element);
      keys.append(Object.assign(document.createElement("kbd"), { textContent }), " ");
    }
    line.append(keys, [labelOf(element), whyNot].filter(Boolean).join(": "));
    lines.push(line);
  }
  return lines;
}

function labelOf(element) {
  if (element.dataset.keyLabel) return element.dataset.keyLabel;
  const copy = element.cloneNode(true);
  for (const cap of copy.querySelectorAll("kbd")) cap.remove();
  return copy.textContent.trim().replace(/\s+/g, " ") || element.getAttribute("aria-label") || "";
}
