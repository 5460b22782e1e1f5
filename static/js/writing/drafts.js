// Drafts: what a machine wrote, offered one after the other. Keys accept, edit or refuse the one in hand; nothing of it is
// on the list before. Those that were put off come again once nothing else is left; one that undo brings back is in hand.
import { bringBack } from "../bench/kept-words.js";
import { addAloud } from "../bench/status-line.js";
import { worded, written } from "../web/words.js";

export function startDrafts(bench, { say }) {
  const holder = bench.querySelector("[data-list]");
  const details = bench.querySelector("[data-verb=accept-edited]");
  const putOff = new Set();
  let known = null; // those that were open
  let back = ""; // the one that undo brought back
  let inHand = "";
  const rows = () => [...holder.querySelectorAll("[data-draft]")];
  const current = () => {
    const all = rows();
    const again = all.find((row) => row.dataset.draft === back);
    if (again) return again;
    if (all.every((row) => putOff.has(row.dataset.draft))) putOff.clear();
    return all.find((row) => !putOff.has(row.dataset.draft));
  };
  const textOf = (row) => row.querySelector("[data-draft-text]").textContent;
  const tellOf = (row) => addAloud(worded("Draft {draft}: {text}", { draft: row.dataset.draft, text: textOf(row) }));

  const paint = () => {
    const open = rows().map((row) => row.dataset.draft);
    back = open.find((draft) => known && !known.has(draft)) ?? back;
    known = new Set(open);
    const next = current();
    for (const row of rows()) row.toggleAttribute("data-draft-current", row === next);
    for (const button of holder.querySelectorAll("[data-draft-do], [data-draft-later]")) button.hidden = false;
    if (details) details.hidden = !next;
    next?.scrollIntoView({ block: "nearest" });
    if (next && next.dataset.draft !== inHand) tellOf(next);
    inHand = next?.dataset.draft ?? "";
  };

  bench.addEventListener("click", ({ target }) => {
    const row = current();
    const act = target.closest("[data-draft-do]")?.dataset.draftDo;
    if (act && row) row.querySelector(`[name=do][value=${act}]`).click();
    else if (target.closest("[data-draft-later]") && row) {
      putOff.add(row.dataset.draft);
      back = "";
      inHand = current().dataset.draft; // which is said
      paint();
      say(worded("Draft {draft}: {text}", { draft: current().dataset.draft, text: written(textOf(current()), current().querySelector("[data-draft-text]")) }));
    } else if (details?.open && target.closest("summary")?.parentElement === details && row) {
      const { draft, text } = details.querySelector("form").elements;
      draft.value = row.dataset.draft;
      details.querySelector("[data-draft-name]").textContent = row.dataset.draft;
      bringBack(text, textOf(row));
      text.setSelectionRange(text.value.length, text.value.length);
    }
  });
  new MutationObserver(paint).observe(holder, { childList: true });
  const first = current();
  inHand = first?.dataset.draft ?? "";
  paint();
  if (first) addEventListener("load", () => setTimeout(() => tellOf(first))); // before, nothing is announced
  return paint;
}
