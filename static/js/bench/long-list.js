// The work list of a long bench: windows of it are here (windows.js), and the next open lines before they are wanted
// (open-lines.js). What may have to be fetched is a promise of a line, all else a line; how much is done is what the server
// counted and what was said here since.
import { createList } from "./list.js";
import { showLine } from "./list-focus.js";
import { createOpenLines } from "./open-lines.js";
import { createWindows } from "./windows.js";
import { worded } from "../web/words.js";

export function createLongList(frame) {
  const { bench, isPending } = frame;
  const list = createList(frame);
  const counts = bench.querySelector("[data-work-list]").dataset;
  let total = Number(counts.total);
  let settled = Number(counts.settled);
  let selected = null;
  let age = 0; // how often it was otherwise by now
  const known = () => [...list.byId.values()];

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
  const open = createOpenLines({ known, isSettled: list.isSettled, ask: windows.ask, age: () => age, total: () => total });

  /** Know nothing any more but the line in hand and what waits for its answer: the server has it otherwise by now. */
  const forget = (current) => {
    age += 1;
    for (const line of known()) {
      if (line === current || isPending(line) || Object.values({ ...line.unsent, ...line.unkept }).some(Boolean)) continue;
      settled += list.isSettled(line) - line.counted;
      list.byId.delete(line.id);
    }
    open.forget();
  };

  return {
    __proto__: list,
    get total() { return total; },
    get age() { return age; },
    get done() { return known().reduce((sum, line) => sum + list.isSettled(line) - line.counted, settled); },
    step: windows.step,
    end: windows.end,
    nextOpen: open.next,
    following: open.following,
    open: open.all,
    reach: open.reach,

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
