// Showing only the nuggets that have what is typed: words in any order, or the beginning of a number.
import { folded, wordsOf } from "../bench/list-words.js";
import { worded } from "../web/words.js";

export function startFilter(bench, { painter, hand }) {
  const holder = bench.querySelector("[data-filter]");
  const field = holder.querySelector("input");
  const said = holder.querySelector("[data-filter-said]");
  const shown = () => painter.rows.filter((row) => !row.element.hidden);

  const apply = () => {
    const words = wordsOf(field.value);
    for (const row of painter.rows) row.element.hidden = !words.every((word) => folded(row.text).includes(word) || String(row.number).startsWith(word));
    said.textContent = words.length ? worded("{shown} of {rows}", { shown: shown().length, rows: painter.rows.length }) : "";
    if (words.length && shown().length) hand.take(shown()[0], false);
  };
  const clear = () => {
    if (!field.value) return;
    field.value = "";
    apply();
  };

  holder.hidden = false;
  field.addEventListener("input", apply);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") clear();
    else if (event.key === "Enter" && shown().length) {
      event.preventDefault();
      hand.take(shown()[0], true);
    }
  });
  return { clear };
}
