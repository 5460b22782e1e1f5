// What machine judges said of an item, where it is shown after one's own judgment: put in once that is saved.
import { askServer } from "../web/asking.js";
import { worded } from "../web/words.js";
export function startDrafts({ bench, say, isPending }, holder) {
  if (bench.dataset.draftsShown !== "after") return;
  bench.addEventListener("assay-judged", async ({ detail: line }) => {
    const isHere = () => holder.querySelector("input[name=item]")?.value === line.id;
    if (!isHere() || !holder.querySelector("[data-draft-to-come]")) return;
    const response = await askServer(`${bench.dataset.base}items/${line.id}/`, { headers: { "X-Fragment": "1" } }).catch(() => null);
    if (!response?.ok || response.redirected) return;
    const found = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!isHere()) return;
    for (const box of found.querySelectorAll("[data-drafts]")) {
      const here = holder.querySelector(`[data-drafts="${CSS.escape(box.dataset.drafts)}"]`);
      here?.replaceChildren(...box.childNodes);
      here?.toggleAttribute("data-draft-to-come", box.hasAttribute("data-draft-to-come"));
    }
    if (!isPending(line)) say(worded("{did}. Compare with the machine judge; i goes on.", { did: bench.querySelector("[data-did]").textContent }));
  });
}
