// The next items are fetched while somebody reads, for a network that is lost.
import { worded } from "../web/words.js";

const MOST = 30;
const READING = 700; // ms after which an item is read rather than passed by

/** `next(line)` gives the lines that are judged after one; `address(line)` is where an item is fetched. */
export function createStore({ frame: { bench, say }, ahead, address, isShown, next }) {
  let timer = 0;
  let waiting = () => [];

  const here = () => {
    const lines = waiting();
    const gap = lines.findIndex((line) => !ahead.has(address(line)));
    return gap < 0 ? lines.length : gap;
  };

  const fill = async (line) => {
    if (!isShown(line)) return;
    for (const each of waiting()) {
      if (!ahead.has(address(each)) && (await ahead.prepare(address(each), { framed: false })) === null) return;
      if (!isShown(line)) return;
    }
  };

  addEventListener("offline", () => say(worded("No network. Go on: what you judge is sent later, and the next {number} are here.", { number: here() })));

  return {
    fill(line) {
      clearTimeout(timer);
      if (!next || !bench.matches("[data-ahead]")) return;
      waiting = () => next(line).slice(0, MOST);
      timer = setTimeout(() => fill(line), READING);
    },
  };
}
