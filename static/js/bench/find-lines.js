// The words and numbers (list-tools.js) of a list whose lines are all on the page: lines without the words are hidden.
import { folded, wordsOf } from "./list-words.js";
import { startListTools } from "./list-tools.js";
import { worded } from "../web/words.js";

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
      const counts = { number: found.length, all: lines().length, things };
      if (!words.length) say(worded("All {things} are shown.", counts));
      else say(found.length === 1 ? worded("{number} of {all} {things} has these words.", counts) : worded("{number} of {all} {things} have these words.", counts));
    },
    first() {
      const [found] = hits();
      if (found) go(found);
      else say(worded("Nothing in the list has these words."));
    },
    jump(number) {
      const line = at(number);
      if (line) go(line);
      else say(worded("There is no {numbered} “{number}”.", { numbered, number }));
    },
    back,
  });
  return narrow;
}
