// Going from response to response, also to one that has to come first: meanwhile nothing is said of what is in sight.
import { worded } from "../web/words.js";
const NOT_NOW = worded("The response can't be loaded now. Try again.");

/** `show(response, string)` puts a response in sight, with this string in hand or the first that is left. */
export function createMoves({ bench, marks, others, strings, say, show }) {
  let turn = 0; // the last move counts
  let heading = null; // the response that it leads to, as long as that is on its way: from there keys count on
  let left = null; // the string that was in hand before

  /** Go to a response, or to one that is on its way; `pick(response)` gives the string, `then()` is called there. */
  const go = async (coming, { pick, then = () => {}, isOn = false } = {}) => {
    turn += 1;
    const mine = turn;
    heading = null;
    const arrive = (response) => {
      show(response, pick?.(response));
      others.prepare(response);
      then();
    };
    const found = coming instanceof Promise ? coming : others.load(coming);
    if (!(found instanceof Promise)) return void arrive(found);
    left = strings().current ?? left;
    strings().leave();
    if (coming !== found) heading = coming;
    const response = await found.catch(() => null);
    if (mine !== turn) return;
    heading = null;
    if (!response) {
      strings().select(left, false);
      say(NOT_NOW);
    } else if (isOn && marks.isFinished(response) && goOn(response, then)) return; // what was known of it was old
    else arrive(response);
  };

  const tellPlace = () => say(`${bench.querySelector("[data-response-name]").textContent}, [${strings().current.dataset.letter}]`);

  /** To the next response that is not finished; false where there is none. */
  const goOn = (from, then = tellPlace) => {
    const next = marks.nextOpen(heading ?? from);
    if (next) go(next, { then, isOn: true });
    return Boolean(next);
  };

  /** To the response before or after, or with ±Infinity the first or last, which says where one is then. */
  const step = (response, by) => {
    const next = Number.isFinite(by) ? marks.responses[(heading ?? response).index + by] : marks.responses.at(by > 0 ? -1 : 0);
    if (!next || next === response) return void say(by > 0 ? worded("This is the last response.") : worded("This is the first response."));
    go(next, { then: tellPlace });
  };

  const goTo = (number) => {
    const next = marks.responses[number - 1];
    if (next) go(next, { then: tellPlace });
    else say(worded("There is no response {number}.", { number }));
  };

  return { go, goOn, goTo, step };
}
