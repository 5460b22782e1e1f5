// The work list of a long bench: windows of it are here, and the next open lines before they are wanted. What may have to be
// fetched is a promise of a line, all else a line; how much is done is what the server counted and what was said here since.
import { createList } from "./list.js";
import { showLine } from "./list-focus.js";
import { createWindows } from "./windows.js";
import { worded } from "../web/words.js";

export function createLongList(frame) {
  const { bench, isPending } = frame;
  const list = createList(frame);
  const counts = bench.querySelector("[data-work-list]").dataset;
  let total = Number(counts.total);
  let settled = Number(counts.settled);
  let [chain, extending] = [null, null]; // from an index on, all open lines of the next `reach` places are known, to the line `last`
  let [selected, age] = [null, 0]; // how often it was otherwise by now

  const [known, gap] = [() => [...list.byId.values()], (from, to) => (to - from + total) % total];

  const know = (element) => {
    const index = Number(element.querySelector(".place").textContent) - 1;
    const old = list.get(element.dataset.item);
    const line = old ?? list.lineOf(document.importNode(element, true), index);
    line.element.querySelector(".place").textContent = index + 1;
    line.index = index;
    line.counted ??= list.isSettled(line);
    list.byId.set(line.id, line);
    if (old) return line;
    line.link.removeAttribute("aria-current");
    return line;
  };
  const windows = createWindows(frame, { know, belongs: list.belongs, age: () => age });

  const nearest = (line, lines) => lines.reduce((best, each) =>
    (best && gap(line.index, best.index) <= gap(line.index, each.index) ? best : each), null);

  // Whether all that is open from a line in hand to another one is known.
  const isKnownTo = (line, each) => chain?.isAll || (chain && gap(chain.from, line.index) + gap(line.index, each.index) <= chain.reach);

  /** The next line to be judged; null where there is none, undefined where that is not known. */
  const decide = (line) => {
    const open = known().filter((each) => each !== line && !list.isSettled(each) && each.flag !== "asked");
    const next = nearest(line, open.filter((each) => !each.later));
    if (chain?.isAll) return next ?? nearest(line, open);
    return next && isKnownTo(line, next) ? next : undefined;
  };

  const extend = async (line) => {
    const goesOn = chain && gap(chain.from, line.index) <= chain.reach ? chain : { from: line.index, reach: 0, last: line };
    const before = [total, age];
    const found = await windows.ask({ filter: "unjudged", words: "", after: goesOn.last.id });
    if (before[0] !== total || before[1] !== age) return; // it grew, and places are others; or what was known is forgotten
    const last = found.lines.at(-1) ?? goesOn.last;
    const reach = goesOn.reach + (gap(goesOn.last.index, last.index) || total);
    chain = { from: goesOn.from, reach, last, isAll: reach >= total || found.lines.length >= found.number };
  };
  const extendOnce = (line) => {
    extending ??= extend(line).finally(() => { extending = null; });
    return extending;
  };
  const search = async (line) => {
    while (decide(line) === undefined) await extendOnce(line);
    return decide(line);
  };

  /** Know nothing any more but the line in hand and what waits for its answer: the server has it otherwise by now. */
  const forget = (current) => {
    age += 1;
    for (const line of known()) {
      if (line === current || isPending(line) || Object.values({ ...line.unsent, ...line.unkept }).some(Boolean)) continue;
      settled += list.isSettled(line) - line.counted;
      list.byId.delete(line.id);
    }
    chain = null;
  };

  return {
    __proto__: list,
    get total() { return total; },
    get age() { return age; },
    get done() { return known().reduce((sum, line) => sum + list.isSettled(line) - line.counted, settled); },
    step: windows.step,
    end: windows.end,
    nextOpen(line) {
      const next = decide(line);
      return next === undefined ? search(line) : next;
    },

    /** Of the next two lines to be judged those that are known; the others are on their way. */
    following(line) {
      const next = decide(line);
      const second = next && decide(next);
      if (next === undefined || second === undefined) extendOnce(next ?? line).catch(() => { /* when it is wanted */ });
      return [next, second].filter((each) => each && each !== line);
    },

    /** The lines judged next, of those that are known, in their order. */
    open(line) {
      const open = known().filter((each) => each !== line && !list.isSettled(each) && each.flag !== "asked" && isKnownTo(line, each));
      open.sort((one, other) => gap(line.index, one.index) - gap(line.index, other.index));
      return [...open.filter((each) => !each.later), ...(chain?.isAll ? open.filter((each) => each.later) : [])];
    },

    /** Know so many of them, or all. */
    async reach(line, number) {
      while (!chain?.isAll && this.open(line).length < number) await extendOnce(line);
    },

    at: (place) => known().find(({ index }) => index === place - 1) ?? windows.ask({ filter: "all", words: "", from: place }).then(({ lines }) => lines[0]),
    search: () => windows.show(null).then(() => true, () => { frame.say(worded("The list can't be loaded now. Try again.")); return false; }),
    /** Know all lines that say nearly the same as this one; an exception where they don't come. */
    compare: (line) => windows.ask({ filter: "all", words: "", like: line.id }),
    find: (id) => list.get(id) ?? windows.ask({ filter: "all", words: "", near: id }).then(() => list.get(id)),
    filter: (name, current) => windows.filter(name, current),

    select(line) {
      selected?.link.removeAttribute("aria-current");
      selected = line;
      line.link.setAttribute("aria-current", "true");
      if (line.element.isConnected) showLine(line);
      else windows.show(line, () => selected === line).catch(() => { /* it lies on the bench, whatever the list shows */ });
    },

    /** Take over what is said in the bench as it is now; whether it was otherwise. */
    takeOver(found, onChange) {
      const isOther = list.takeOver(found, onChange);
      if (!found.querySelector("[data-rest]")) location.reload(); // built anew, and not long any more
      const now = found.querySelector("[data-work-list]").dataset;
      const counted = Number(now.settled);
      const isMore = this.done !== counted || total !== Number(now.total);
      forget(selected);
      for (const line of known()) line.counted = list.isSettled(line);
      [settled, total] = [counted, Number(now.total)];
      windows.again();
      if (isMore && selected) onChange(selected);
      return isOther || isMore;
    },

    /** The pool grew: the list as it is now; how many lines came in. */
    grow(found) {
      const now = Number(found.querySelector("[data-work-list]").dataset.total);
      const came = now - total;
      if (!came) return 0;
      forget(selected);
      total = now;
      windows.again();
      return came;
    },
  };
}
