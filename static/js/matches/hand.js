// The nugget in hand: the one that Space marks. Only it is reached by Tab; the arrows move between them.
export function createHand(painter) {
  let nugget = painter.rows[0] ?? null;

  const take = (row, focus) => {
    if (!row) return;
    nugget.button.removeAttribute("data-in-hand");
    for (const other of painter.rows) other.button.tabIndex = -1;
    nugget = row;
    nugget.button.tabIndex = 0;
    nugget.button.setAttribute("data-in-hand", "");
    nugget.button.scrollIntoView({ block: "nearest" });
    if (focus) nugget.button.focus({ preventScroll: true });
  };

  return {
    take,

    /** To the next nugget that is shown or the one before; from elsewhere on the page first to the one in hand. */
    step(by) {
      const isFocused = document.activeElement === nugget?.button;
      const shown = painter.rows.filter((row) => row === nugget || !row.element.hidden);
      take(isFocused ? shown[shown.indexOf(nugget) + by] : nugget, true);
    },

    get nugget() { return nugget; },
  };
}
