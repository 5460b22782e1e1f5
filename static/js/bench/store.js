// The next items are fetched while somebody reads, with their documents, for a network that is lost.
import { worded } from "../web/words.js";

const MOST = 30;
const READING = 700; // ms after which an item is read rather than passed by

/** `list.open(line)` gives the lines that are judged after one, `address(line)` is where an item is fetched. */
export function createStore({ frame: { bench, say }, ahead, address, isShown, list }) {
  const isOwn = bench.matches("[data-ahead]"); // else others decide the same, and what comes now may be settled by then
  let timer = 0;
  let waiting = () => [];

  const tell = () => {
    const lines = waiting();
    const gap = lines.findIndex((line) => !ahead.isHere(address(line)));
    if (!lines.length) say(worded("No network. Go on: what you judge is sent later."));
    else if (gap < 0 && lines.length < MOST) say(worded("No network. Go on: what you judge is sent later, and all that are left are here."));
    else say(worded("No network. Go on: what you judge is sent later, and the next {number} are here.", { number: gap < 0 ? lines.length : gap }));
  };

  const fill = async (line) => {
    if (!isShown(line)) return;
    await list.reach?.(line, MOST);
    for (const each of waiting()) {
      if (!isShown(line) || !(await (isOwn ? ahead.store : ahead.spare)(address(each)))) return;
    }
  };

  addEventListener("offline", tell);

  return {
    fill(line) {
      clearTimeout(timer);
      waiting = () => list.open(line).slice(0, MOST);
      timer = setTimeout(() => fill(line).catch(() => { /* at the next item again */ }), READING);
    },
  };
}
