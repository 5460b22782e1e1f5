// The focus in a list that scrolls and whose lines come and go: it stays on a line that can be seen.

const SETTLED_MS = 100; // without a scroll event, and a scroll is over

/**
 * Gives `hold()`: called before other lines are put in, it gives what puts the focus back once they are there.
 * `goToEnd(isEnd)` is for the keys End and Home.
 */
export function createListFocus(holder, scroller, goToEnd) {
  const filters = scroller.querySelector(".bench-filter"); // which stay above the lines
  const lineOf = (element) => (holder.contains(element) ? element.closest("[data-item]") : null);
  const placeOf = (line) => Number(line.getAttribute("aria-posinset"));

  const isSeen = (line) => {
    const { top, bottom } = line.getBoundingClientRect();
    const middle = (top + bottom) / 2;
    return middle > filters.getBoundingClientRect().bottom && middle < scroller.getBoundingClientRect().bottom;
  };

  // Its own line, else the one in hand, else the nearest.
  const choose = (lines, id, place) => lines.find((line) => line.dataset.item === id)
    ?? lines.find((line) => line.querySelector("a[aria-current]"))
    ?? lines.find((line) => placeOf(line) >= place) ?? lines.at(-1);

  const hold = () => {
    const before = lineOf(document.activeElement);
    if (!before) return () => {};
    const asked = [before.dataset.item, placeOf(before)];
    return () => {
      const lines = [...holder.querySelectorAll("[data-item]:not([hidden])")];
      const line = choose(lines.filter(isSeen), ...asked) ?? choose(lines, ...asked);
      if (line !== lineOf(document.activeElement)) line?.querySelector("a").focus({ preventScroll: true });
    };
  };

  // Not "scrollend": where a key lengthens a scroll that is about to end, Chromium sends it then and never after the rest.
  let settling = 0;
  scroller.addEventListener("scroll", () => {
    clearTimeout(settling);
    settling = setTimeout(() => hold()(), SETTLED_MS);
  }, { passive: true });
  holder.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !isSeen(lineOf(event.target))) event.preventDefault(); // while lines for what is in sight come
    if (!["Home", "End"].includes(event.key) || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goToEnd(event.key === "End");
  });
  return hold;
}

/** Show a line in its list; the page stays where it is, since in one column the list may be out of sight. */
export function showLine({ element }) {
  const { scrollX, scrollY } = window;
  element.scrollIntoView({ block: "nearest" });
  window.scrollTo(scrollX, scrollY);
}
