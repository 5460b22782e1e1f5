// Showing only answers with some words, in both columns, and going to a class by its number.
import { startFinding } from "../bench/find-lines.js";

/** `board()` is the board; gives `narrow()`, for columns that came anew. */
export function startClassFinding({ bench, board, say }) {
  return startFinding(bench, {
    say,
    lines: () => [...bench.querySelectorAll(".answer-row")],
    // the name of its class is a word of each answer there
    textOf: (row) => `${row.querySelector(".words").textContent} ${row.closest("[data-class]")?.dataset.label ?? ""}`,
    take: (row) => board().take(row),
    go: (row) => board().go(row),
    back: () => board().focus(),
    at: (number) => bench.querySelector(`[data-class][data-number="${CSS.escape(number)}"] [data-row]`),
    things: bench.dataset.nouns,
    numbered: "class",
    after(isPart) {
      for (const box of bench.querySelectorAll(".group, .class")) box.hidden = isPart && [...box.querySelectorAll(".answer-row")].every((row) => row.hidden);
    },
  });
}
