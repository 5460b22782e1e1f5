// A pool that grows while it is judged: when few lines are open, the bench fetches those that came in since.
import { askServer } from "../web/asking.js";

const FEW = 5;

export function createMore({ bench, list, refresh, goOn }) {
  let asking = false;

  /** Where nothing else is open, the work goes on with what came in, else where it is. */
  const onMore = (count) => {
    bench.querySelector("[data-progress]").max = list.total;
    refresh();
    if (list.total - list.done === count) goOn();
  };

  /** Ask for more if few are open; called after each answer of the server. */
  return async function ask() {
    if (!("grows" in bench.dataset) || asking || list.total - list.done >= FEW) return;
    asking = true;
    try {
      const response = await askServer(bench.dataset.base);
      if (response.ok && !response.redirected) {
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const count = await list.grow(page.querySelector(".workbench"));
        if (count) onMore(count);
      }
    } catch { /* no network: asked again after the next answer */ }
    asking = false;
  };
}
