// The lines of a long bench that are in sight, in windows: fetched as the list is scrolled. The server counts and filters the
// whole list, whatever of it is here.
import { createAskLines } from "./ask-lines.js";
import { createListFocus, showLine } from "./list-focus.js";
import { worded } from "../web/words.js";

const EDGE = 15; // lines; nearer to the end of a window the next one is fetched
const SIZE = 120; // lines of a window, as the server gives it
const NOT_NOW = worded("The list can't be loaded now. Scroll it to try again.");

/** `know(element)` gives the line of an element that came, `belongs(line, filter)` whether a filter shows it; `age()` as in ask-lines.js. */
export function createWindows({ bench, say }, { know, belongs, age }) {
  const holder = bench.querySelector("[data-work-list]");
  const scroller = holder.closest(".bench-list");
  const holdFocus = createListFocus(holder, scroller, (isEnd) => goToEnd(isEnd).catch(() => say(NOT_NOW)));
  const { ask: askFor, read } = createAskLines({ bench, holder }, { know, age });
  let filter = bench.dataset.filter;
  let shown = null; // the window in sight: first, number, lines
  let turn = 0;
  let isLooking = false;
  let wishes = 0; // windows on their way that somebody's act asks for, before which what comes by itself stands back
  let isOld = false;

  const ask = (asked) => askFor({ filter, ...asked });

  const put = (part) => {
    const keepFocus = holdFocus();
    shown = part;
    part.lines.forEach(({ element }, at) => {
      element.hidden = false;
      element.setAttribute("aria-setsize", part.number);
      element.setAttribute("aria-posinset", part.first + at);
    });
    holder.replaceChildren(...part.lines.map((line) => line.element));
    holder.style.setProperty("--before", part.first - 1);
    holder.style.setProperty("--after", Math.max(0, part.number - part.first + 1 - part.lines.length));
    keepFocus();
    bench.querySelector("[data-nothing]").hidden = part.lines.length > 0;
  };

  /** Give a window, and put it in sight, unless another is asked for meanwhile or it is not wanted there any more. */
  const load = async (asked, isWanted = () => true) => {
    turn += 1;
    const mine = turn;
    const part = await ask(asked);
    if (mine === turn && isWanted()) put(part);
    return part;
  };

  // For what somebody's act asks for: neither looking around nor what is asked anew takes its place.
  const wish = (...asked) => {
    wishes += 1;
    return load(...asked).finally(() => { wishes -= 1; if (isOld && !wishes) again(); });
  };

  const again = () => {
    isOld = wishes > 0;
    if (!isOld) load({ from: shown.first }).then(() => look()).catch(() => say(NOT_NOW));
  };

  /** Where the window begins that is wanted for what can be seen; 0 where the one that is here does, or one was asked for. */
  const wanted = () => {
    const height = 1.5625 * parseFloat(getComputedStyle(document.documentElement).fontSize); // of a line, as in workbench.css
    const view = scroller.getBoundingClientRect();
    const lines = Math.ceil(view.height / height);
    const above = Math.floor((view.top - holder.getBoundingClientRect().top) / height);
    const first = Math.max(1, Math.min(above + 1, shown.number - lines));
    const end = shown.first + shown.lines.length - 1;
    const lacks = (shown.first > 1 && first - EDGE < shown.first) || (end < shown.number && first + lines + EDGE > end);
    return lacks && !wishes ? Math.max(1, first - Math.max(EDGE, Math.floor((SIZE - lines) / 2))) : 0;
  };

  /** Fetch what is in sight; that it can't be had is said to who scrolls, since nobody asked where the page changed by itself. */
  const look = async (scrolled = null) => {
    if (isLooking) return;
    isLooking = true;
    try {
      for (let before = 0, from = wanted(); from && from !== before; before = from, from = wanted()) await load({ from });
    } catch {
      if (scrolled) say(NOT_NOW);
    }
    isLooking = false;
  };

  /** The line before or after, as a window has it; the same line at an end, null where it is not in that window. */
  const neighbour = (line, by, { lines: all, first, number }) => {
    const isFirst = first === 1;
    const isLast = first + all.length > number;
    const onward = by > 0 ? all : all.toReversed();
    const isBeyond = (each) => (each.index - line.index) * by > 0;
    if (!(by > 0 ? isFirst : isLast) && onward.every(isBeyond)) return null;
    return onward.find((each) => isBeyond(each) && belongs(each, filter)) ?? ((by > 0 ? isLast : isFirst) ? line : null);
  };

  const goToEnd = async (isEnd) => {
    const part = await wish({ from: isEnd ? Math.max(1, shown.number - EDGE) : 1 });
    if (part !== shown) return;
    const line = shown.lines.at(isEnd ? -1 : 0);
    line?.link.focus();
    line?.element.scrollIntoView({ block: "nearest" }); // which the focus does not where the line had it
    look();
  };
  scroller.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(() => look()).observe(scroller);
  put(read(holder));
  scroller.querySelector("[data-part-of-list]").remove();

  return {
    ask,
    /** Show the list around a line, if that `isWanted` by then, or from its beginning. */
    async show(line, isWanted) {
      const part = await wish(line ? { near: line.id } : { from: 1 }, isWanted);
      if (part !== shown) return;
      if (line?.element.isConnected) showLine(line);
      else scroller.scrollTop = 0;
      look();
    },

    again, // what is in sight as the server has it now, where it is
    /** The first or last line of the filter. */
    end: (by) => ask({ from: by > 0 ? Math.max(1, shown.number - EDGE) : 1 }).then(({ lines }) => lines.at(by > 0 ? -1 : 0)),

    step: (line, by) => neighbour(line, by, shown) ?? wish({ near: line.id }).then((part) => neighbour(line, by, part) ?? line),

    /** Show the lines of a filter; of those in sight only what still belongs there, and the line in hand. */
    filter(name, current) {
      if (name === filter) {
        for (const line of shown.lines) line.element.hidden = !belongs(line, filter) && line !== current;
        return;
      }
      filter = name;
      this.show(null).catch(() => say(NOT_NOW));
    },
  };
}
