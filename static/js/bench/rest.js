// A bench that was short may be found long, its list in part: a page that holds all lines of it fetches the others as well.
import { askServer } from "../web/asking.js";

/** Put the whole list into a bench that holds a part of it; whether it is whole now. */
export async function fetchRest(bench) {
  const list = bench.querySelector("[data-rest]");
  if (!list) return true;
  try {
    const response = await askServer(list.dataset.rest, { headers: { "X-Fragment": "1" } });
    if (!response.ok || response.redirected) return false;
    const found = new DOMParser().parseFromString(await response.text(), "text/html");
    list.replaceWith(bench.ownerDocument.importNode(found.querySelector("[data-work-list]"), true));
    bench.querySelector("[data-part-of-list]").remove();
    return true;
  } catch {
    return false;
  }
}
