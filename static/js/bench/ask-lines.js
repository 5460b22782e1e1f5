// Asking the server for lines of a long list, which it counts and filters whole.
import { askServer } from "../web/asking.js";

/**
 * `know(element)` gives the line of an element that came; what was asked before `age()` changed, since the server has it
 * otherwise by now, is asked anew.
 */
export function createAskLines({ bench, holder }, { know, age }) {
  const read = (found) => {
    const lines = [...found.children].map(know);
    const [first, number, total, settled] = ["first", "number", "total", "settled"].map((name) => Number(found.dataset[name]));
    return { lines, first, number, total, settled };
  };

  /** Some lines, in the window that they are: `asked` says the filter and which of its lines; an exception where they don't come. */
  const ask = async (asked) => {
    const mine = age();
    const url = new URL(holder.dataset.rest, location.href);
    for (const [name, value] of Object.entries({ words: bench.dataset.words ?? "", ...asked })) url.searchParams.set(name, value);
    const response = await askServer(url, { headers: { "X-Fragment": "1" } });
    if (!response.ok || response.redirected) throw new Error(String(response.status));
    const html = await response.text();
    if (mine !== age()) return ask(asked);
    return read(new DOMParser().parseFromString(html, "text/html").querySelector("[data-work-list]"));
  };

  return { ask, read };
}
