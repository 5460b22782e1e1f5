// A pool that grows while it is judged: when few lines are open, the bench fetches those that came in since.
import { fetchRest } from "../bench/rest.js";

const FEW = 5;

export function createMore({ bench, list, refresh, goOn }) {
  let asking = false;

  /** The lines stand at the end; where nothing else is open, the work goes on with them, else where it is. */
  const onMore = (first) => {
    bench.querySelector("[data-progress]").max = list.lines.length;
    refresh();
    if (list.lines.slice(0, first.index).every(list.isSettled)) goOn(first);
  };

  /** Ask for more if few are open; called after each answer of the server. */
  return async function ask() {
    if (!("grows" in bench.dataset) || asking || list.lines.length - list.done >= FEW) return;
    asking = true;
    try {
      const response = await fetch(bench.dataset.base);
      if (response.ok && !response.redirected) {
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        if (!(await fetchRest(page.querySelector(".workbench")))) throw new Error("not whole");
        const count = list.add([...page.querySelectorAll("[data-work-list] > [data-item]")]);
        if (count) onMore(list.lines[list.lines.length - count]);
      }
    } catch { /* no network: asked again after the next answer */ }
    asking = false;
  };
}
