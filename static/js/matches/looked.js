// That a string was looked at: one, or all that are left of a response, which hold nothing more.
import { worded } from "../web/words.js";

export function createLooked({ bench, marks, writer, undo, moves, say, strings, current }) {
  const isOpen = (string) => !marks.isSettled(string.dataset.string);
  const placeOf = ({ number }) => (number ? worded("Response {number}, ", { number }) : "");

  const goOn = (name) => {
    const response = current();
    const at = response.strings.indexOf(strings().current);
    const left = response.strings.slice(at + 1).find(isOpen) ?? response.strings.find(isOpen);
    const tell = () => say(`${name}. ${placeOf(current())}[${strings().current.dataset.letter}]`);
    if (left) {
      strings().select(left);
      tell();
    } else if (!moves.goOn(response, tell)) say(`${name}. ${worded("All {units} are looked at: press f to mark the work as done.", { units: bench.dataset.units })}`);
  };

  return {
    string(how) {
      const string = strings().current;
      if (!string) return;
      const item = marks.itemOf(string);
      if (item.state === "open") {
        undo.push({ kind: "review", item: [item.id] }, writer.review(item, true, how));
      }
      goOn(worded("[{letter}] looked at", { letter: string.dataset.letter }));
    },

    /** Undo takes all of them back at once. */
    rest(how) {
      const items = [...new Set(current().strings.filter(isOpen).map((string) => marks.itemOf(string)))];
      if (!items.length) return void say(worded("Nothing of this response is left to look at."));
      undo.push({ kind: "review", item: items.map(({ id }) => id) }, ...items.map((item) => writer.review(item, true, how)));
      goOn(items.length === 1 ? worded("1 {unit} looked at", bench.dataset) : worded("{number} {units} looked at", { number: items.length, units: bench.dataset.units }));
    },

    unreview(how) {
      const item = strings().current && marks.itemOf(strings().current);
      const wasLookedAt = item?.state === "judged";
      if (wasLookedAt) writer.review(item, false, how);
      say(wasLookedAt ? worded("Not looked at any more.") : worded("This {unit} is not looked at.", bench.dataset));
    },

    takeBack({ item }) {
      for (const id of item) writer.review(marks.item(id), false, "key");
      const { letter } = strings().current.dataset;
      say(item.length > 1 ? worded("Undone: {number} {units} are not looked at", { number: item.length, units: bench.dataset.units }) : worded("Undone: [{letter}] is not looked at", { letter }));
    },
  };
}
