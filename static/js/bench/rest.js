// A bench that was short may be found long, its list in part: a page that holds all lines of it fetches the others as well,
// some hundred at a time.
import { askServer } from "../web/asking.js";

/** Put the whole list into a bench that holds a part of it; whether it is whole now. */
export async function fetchRest(bench) {
  const list = bench.querySelector("[data-rest]");
  if (!list) return true;
  try {
    const whole = await fetchLines(list.dataset.rest, 0);
    while (whole.children.length < Number(list.dataset.total)) {
      const { children } = await fetchLines(list.dataset.rest, whole.children.length);
      if (!children.length) return false; // it is shorter by now
      whole.append(...children);
    }
    list.replaceWith(bench.ownerDocument.importNode(whole, true));
    bench.querySelector("[data-part-of-list]").remove();
    return true;
  } catch {
    return false;
  }
}

/** Some lines of the list, after so many; an exception where there is no answer. */
async function fetchLines(address, past) {
  const response = await askServer(`${address}&past=${past}`, { headers: { "X-Fragment": "1" } });
  if (!response.ok || response.redirected) throw new Error("no list");
  return new DOMParser().parseFromString(await response.text(), "text/html").querySelector("[data-work-list]");
}
