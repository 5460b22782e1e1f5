// The work list of the grading bench: what is known of each line, and what comes next. Of a long list (long-list.js) the
// page holds a window.
import { keepNotes, keptNotes } from "./kept-words.js";
import { createLater } from "./later.js";
import { readLineStates } from "./line-states.js";
import { showLine } from "./list-focus.js";
import { hasWords } from "./list-words.js";
import { fetchRest } from "./rest.js";
import { isOther, saidOf } from "./said.js";
import { worded } from "../web/words.js";

const SAID = { excused: worded("excused"), asked: worded("asked"), answered: worded("answered") };

export function createList(frame) {
  const { bench, isPending } = frame;
  const { isJudged, isSettled, stateOf, belongs } = readLineStates(bench);
  const later = createLater(frame);
  const standing = (element) => ({ ...saidOf(element), later: later.has(element) });
  const lineOf = (element, index) => ({
    id: element.dataset.item,
    index,
    element,
    link: element.querySelector("a"),
    ...standing(element),
    seconds: 0,
    unkept: {}, // by questions: an answer typed and not taken
    unsent: keptNotes(element.dataset.item), // and a note that goes with a grade not given yet
  });
  const lines = [...bench.querySelectorAll("[data-item]")].map(lineOf);
  const byId = new Map(lines.map((line) => [line.id, line]));

  return {
    lines, byId, lineOf, later, isJudged, isSettled, belongs,
    get: (id) => byId.get(String(id)),
    get total() { return lines.length; },
    get done() { return lines.filter(isSettled).length; },
    /** The number of a line, and the line with a number; undefined where it is not on this page. */
    placeOf: ({ element }) => Number(element.querySelector(".place").textContent),
    at(place) { return lines.find((line) => this.placeOf(line) === place); },

    search(name, current) { this.filter(name, current); },
    /** The line with this id, wherever in the list it stands; undefined where it is not there. */
    find: (id) => byId.get(String(id)),

    /** Put lines that are new at the end of the list; how many there were. */
    add(elements) {
      const fresh = elements.filter((element) => !byId.has(element.dataset.item));
      for (const element of fresh) {
        const line = lineOf(document.importNode(element, true), lines.length);
        bench.querySelector("[data-work-list]").append(line.element);
        line.element.querySelector(".place").textContent = lines.push(line);
        byId.set(line.id, line);
      }
      return fresh.length;
    },

    /** The pool grew: put in what the bench as it is now has more; how many lines came in. */
    async grow(found) {
      if (!(await fetchRest(found))) throw new Error("not whole");
      return this.add([...found.querySelectorAll("[data-work-list] > [data-item]")]);
    },

    /** Take over what is said in the bench as it is now, with lines that came in; whether anything else was said of any. */
    takeOver(found, onChange) {
      const elements = [...found.querySelectorAll("[data-work-list] > [data-item]")];
      if (bench.matches("[data-ahead]:not(:has([data-rest]))")) this.add(elements);
      const others = elements
        .map((element) => [byId.get(element.dataset.item), standing(element)])
        .filter(([line, said]) => line && !isPending(line) && isOther(line, said));
      for (const [line, said] of others) onChange(Object.assign(line, said, { unsent: {} }));
      return others.length > 0;
    },

    /** Show a line as it stands; `names` are the grades given, in words. */
    paint(line, names) {
      keepNotes(line);
      line.element.dataset.state = stateOf(line);
      line.element.toggleAttribute("data-pending", isPending(line));
      if (!line.carried) line.element.querySelector("[data-carried]")?.remove();
      const words = names || SAID[line.flag] || (line.later ? worded("later") : worded("open"));
      Object.assign(line.element.querySelector(".said"), { textContent: words, title: words });
    },

    filter(name, current) {
      let shown = 0;
      for (const line of lines) {
        line.element.hidden = !hasWords(line.element, bench.dataset.words) || (!belongs(line, name) && line !== current);
        if (!line.element.hidden) shown += 1;
      }
      bench.querySelector("[data-nothing]").hidden = shown > 0;
    },

    chooseFilter(link) {
      bench.querySelector("[data-filter-by][aria-current]")?.removeAttribute("aria-current");
      link.setAttribute("aria-current", "true");
      this.filter(link.dataset.filterBy, null);
    },

    select(line) {
      for (const other of bench.querySelectorAll("[data-work-list] a[aria-current]")) other.removeAttribute("aria-current");
      line.link.setAttribute("aria-current", "true");
      showLine(line);
    },

    /** The first (-1) or last (1) line that is shown. */
    end: (by) => lines.filter(({ element }) => !element.hidden).at(by > 0 ? -1 : 0),

    /** The next or previous line that is shown; the same line at either end. */
    step(line, by) {
      let index = line.index + by;
      while (index >= 0 && index < lines.length && lines[index].element.hidden) index += by;
      return lines[index] ?? line;
    },

    /** All lines still to be judged, in the order in which they come: going round, those set aside last, those asked about never. */
    open(line) {
      const round = [...lines.slice(line.index + 1), ...lines.slice(0, line.index)];
      const open = round.filter((each) => !isSettled(each) && each.flag !== "asked");
      return [...open.filter((each) => !each.later), ...open.filter((each) => each.later)];
    },

    /** The next of them, or null. */
    nextOpen(line) { return this.open(line)[0] ?? null; },

    /** The next two lines still to be judged. */
    following(line) {
      const next = this.nextOpen(line);
      const second = next && this.nextOpen(next);
      return [next, second].filter((each) => each && each !== line);
    },
  };
}
