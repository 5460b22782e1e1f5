// The words and numbers (list-tools.js) of a list whose lines are all on the page: lines without the words are hidden.
import { folded, wordsOf } from "./list-words.js";
import { startListTools } from "./list-tools.js";

/**
 * `lines()` are the elements of the list and `textOf(line)` what is looked for in one; `take(line)` puts one in hand without
 * the focus, `go(line)` with it, `back()` focuses the one in hand; `at(number)` is what `go` is given for a number. `things`
 * and `numbered` name lines and what has numbers. `after(isPart)` is called when lines were hidden or shown. Gives `narrow()`,
 * for lines that came anew.
 */
export function startFinding(bench, { say, lines, textOf, take, go, back, at, things, numbered, after = () => {} }) {
  let words = [];
  const hits = () => lines().filter((line) => !line.hidden);
  const narrow = () => {
    for (const line of lines()) {
      const text = words.length ? folded(textOf(line)) : "";
      line.hidden = !words.every((word) => text.includes(word));
    }
    after(words.length > 0);
  };

  startListTools(bench, {
    show(typed) {
      words = wordsOf(typed);
      narrow();
      const found = hits();
      if (words.length && found.length) take(found[0]);
      say(words.length ? `${found.length} of ${lines().length} ${things} ${found.length === 1 ? "has" : "have"} these words.` : `All ${things} are shown.`);
    },
    first() {
      const [found] = hits();
      if (found) go(found);
      else say("Nothing in the list has these words.");
    },
    jump(number) {
      const line = at(number);
      if (line) go(line);
      else say(`There is no ${numbered} “${number}”.`);
    },
    back,
  });
  return narrow;
}
