// Going to a line of the list by its number, showing only lines with some words, and saying where a step led.
import { hasWords } from "./list-words.js";
import { startListTools } from "./list-tools.js";
import { worded } from "../web/words.js";

const END = { 1: worded("This is the last item of the list."), "-1": worded("This is the first item of the list.") };
const NO_MORE = { 1: worded("No further item is shown."), "-1": worded("No earlier item is shown.") };

/** `moving` is of moving.js; `current()` is the line in hand, `search()` shows the list by the words that are asked for. */
export function createJump({ bench, list, say, moving: { go, from }, current, search }) {
  const most = () => Number(bench.dataset.listed ?? list.total); // the list may have pages, of which this is one
  const walk = async (coming, end = "") => {
    if (coming && coming === current()) return void say(end);
    const before = current();
    if (!(await go(coming))) return;
    const line = current();
    say(line === before ? end : worded("{line} of {most}: {said}", { line: list.placeOf(line), most: most(), said: line.element.querySelector(".said").textContent }));
  };
  const holder = bench.querySelector("[data-bench-item]");
  const toAnswer = () => { // which may be on its way: then it gets the focus when it comes (item.js), and the one before does not
    if (holder.matches("[aria-busy=true]")) document.activeElement.blur();
    else holder.querySelector("[data-answer]")?.focus();
  };

  const jump = async (number) => {
    const place = Number(number);
    if (!Number.isInteger(place) || place < 1 || place > most()) return void say(worded("The items of this list have the numbers 1 to {most}.", { most: most() }));
    const line = list.at(place);
    if (!line) return void location.assign(`${bench.dataset.base}?${bench.dataset.kept ?? ""}place=${place}`);
    await walk(line, worded("{place} is the item in hand.", { place }));
    toAnswer();
  };
  let searching; // what the last words show is on its way
  const show = async (words) => {
    if (words === (bench.dataset.words ?? "")) return;
    bench.dataset.words = words;
    const mine = search();
    searching = mine;
    if ((await mine) === false || mine !== searching || words !== bench.dataset.words) return;
    const lines = bench.querySelectorAll("[data-work-list] > [data-item]:not([hidden])");
    const counts = { number: lines[0]?.ariaSetSize ?? lines.length, most: most() }; // of a long list a part is here
    say(words ? worded("{number} of {most} in the list have these words.", counts) : worded("{number} of {most} in the list are shown.", counts));
  };
  const behindFilter = () => {
    const hidden = [...bench.querySelectorAll("[data-work-list] > [data-item][hidden]")];
    if (!bench.dataset.words || !hidden.some((line) => hasWords(line, bench.dataset.words))) return "";
    const [filter, all] = ["[aria-current]", "[data-filter-by=all]"].map((which) => bench.querySelector(`[data-filter-by]${which}`).textContent.trim());
    return worded("What has these words is not among “{filter}”: choose “{all}” first.", { filter, all });
  };
  const openFirst = async () => {
    const mine = searching;
    if ((await mine) === false || mine !== searching) return;
    const first = bench.querySelector("[data-work-list] > [data-item]:not([hidden]) > a");
    if (!first) return void say(behindFilter() || (bench.dataset.noWords ?? worded("No item has these words.")));
    first.click();
    toAnswer();
  };
  const isPart = () => bench.dataset.words || bench.querySelector("[data-filter-by][aria-current]")?.dataset.filterBy !== "all";
  startListTools(bench, { show, first: openFirst, jump, back: toAnswer });

  return {
    /** To the line before or after, or with ±Infinity to the first or last that is shown. */
    step: (by) => walk(Number.isFinite(by) ? from((line) => list.step(line, by)) : list.end(by), (isPart() ? NO_MORE : END)[Math.sign(by)]),
    /** To the next that is open. */
    open: () => walk(from((line) => list.nextOpen(line)), worded("No other item is open.")),
  };
}
