// The responses that the page of a long bench does not hold: fetched as they are wanted, and those that may be next before.
import { askServer } from "../web/asking.js";

const MOST = 30; // strings, for when the network is lost

export function createOthers({ frame, marks }) {
  const { bench, outbox, isPending } = frame;
  const holder = bench.querySelector("[data-strings]");
  const coming = new Map(); // address -> promise

  const ask = async (query) => {
    const { sent } = outbox;
    const isQuiet = outbox.waiting === 0;
    const response = await askServer(`${bench.dataset.responses}?${query}`, { headers: { "X-Fragment": "1" }, signal: AbortSignal.timeout(30000) });
    if (!response.ok || response.redirected) throw new Error(String(response.status));
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!marks.isSame(page)) location.reload(); // the pool grew, and responses stand elsewhere
    const found = page.querySelector("[data-strings]");
    if (isQuiet && outbox.sent === sent) marks.takeOutline(found); // else it may lack what was said meanwhile
    const element = document.importNode(found.querySelector("[data-response]"), true);
    const known = marks.responses[Number(element.dataset.index)];
    if (known.strings) return known;
    element.hidden = true;
    holder.append(element);
    return marks.add(element, (item) => isPending(item) || marks.homeOf(item));
  };
  const askOnce = (query) => {
    if (!coming.has(query)) coming.set(query, ask(query).finally(() => coming.delete(query)));
    return coming.get(query);
  };
  const load = (response) => (response.strings ? response : askOnce(`at=${response.index}`));

  return {
    /** The response with its strings, or a promise of it. */
    load,

    /** The response that holds an item, or a promise of it. */
    find: (id) => (marks.item(id) && marks.homeOf(marks.item(id))) ?? askOnce(`item=${id}`),

    /** Have those at hand that may be wanted next, and of those that are left as many as hold thirty strings. */
    async prepare(response) {
      const near = [marks.nextOpen(response), marks.responses[response.index + 1], marks.responses[response.index - 1]];
      for (const each of new Set(near)) if (each && !each.strings) load(each).catch(() => { /* when it is wanted */ });
      const left = marks.allOpen(response);
      const enough = left.findIndex((_, at) => left.slice(0, at).reduce((sum, each) => sum + each.left, 0) >= MOST);
      for (const each of enough < 0 ? left : left.slice(0, enough)) if (!each.strings && !(await Promise.resolve(load(each)).catch(() => null))) return;
    },

    /** What is said of a response as the server has it now, in a bench without the others. */
    async again(response) {
      const answer = await askServer(`${bench.dataset.responses}?at=${response.index}`, { headers: { "X-Fragment": "1" } });
      return new DOMParser().parseFromString(await answer.text(), "text/html").body;
    },

    /** Forget what nothing waits for but the response in hand: the server has it otherwise by now. */
    forget(current) {
      for (const each of marks.responses) {
        if (each === current || !each.strings || each.strings.some((string) => isPending(marks.itemOf(string)))) continue;
        each.element.remove();
        [each.element, each.strings] = [null, null];
      }
    },
  };
}
