// Going from line to line of a bench, also to one that has to be fetched first: meanwhile nothing is said of what is in sight.
import { worded } from "../web/words.js";
const NOT_NOW = worded("The list can't be loaded now. Try again.");
const AGAIN = 3000;

/** `begin(line, did)` puts a line on the bench, or says why there is none (null); `current()` is the line in hand. */
export function createMoving({ item, list, say, begin, current }) {
  let moves = 0;
  let heading = null; // where the last move leads, as long as that line is on its way

  return {
    /** Go to a line, or to one that is on its way; the last move counts. Whether a line is on the bench now. */
    async go(coming, did = "") {
      moves += 1;
      const mine = moves;
      heading = null;
      if (!(coming instanceof Promise)) {
        begin(coming, did);
        return Boolean(coming);
      }
      const stay = item.wait();
      heading = coming.catch(() => undefined);
      const line = await heading;
      stay();
      if (mine !== moves) return false;
      heading = null;
      if (!line) item.early.drop();
      if (line === undefined) say(did + NOT_NOW);
      else begin(line, did);
      return Boolean(line);
    },

    /** What `step(line)` gives from where the last move leads, or else that line: keys that come before it count one by one. */
    from: (step) => (heading ? heading.then(async (line) => (await step(line ?? current())) ?? line) : step(current())),

    /** The line with this id; undefined where the list has none, null where it can't be fetched now. */
    async find(id) {
      const line = await Promise.resolve(list.find(id)).catch(() => null);
      if (line === null) say(NOT_NOW);
      return line;
    },

    /** The line of what lies on the bench when the page comes, which the list in sight may not show. */
    async laid() {
      const id = item.holder.querySelector("input[name=item]")?.value;
      const stay = item.wait();
      let line = id && (await this.find(id));
      while (line === null) {
        await new Promise((done) => { setTimeout(done, AGAIN); });
        line = await this.find(id);
      }
      stay();
      return line;
    },
  };
}
