// The nugget in hand: the one that Space marks. Only it is reached by Tab; the arrows move between them.
import { worded } from "../web/words.js";

export function createHand(painter, say) {
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

  const shown = () => painter.rows.filter((row) => row === nugget || !row.element.hidden);

  return {
    take,

    /** To the next nugget that is shown or the one before; from elsewhere on the page first to the one in hand. */
    step(by) {
      const isFocused = document.activeElement === nugget?.button;
      const next = isFocused ? shown()[shown().indexOf(nugget) + by] : nugget;
      if (next) {
        take(next, true);
        say(""); // the nugget itself is read
      } else if (nugget) say(by > 0 ? worded("This is the last nugget.") : worded("This is the first nugget."));
    },

    /** The next nugget that is shown, after the last the first. */
    goOn() {
      const next = shown()[shown().indexOf(nugget) + 1] ?? shown()[0];
      take(next, false);
    },

    get nugget() { return nugget; },
  };
}
