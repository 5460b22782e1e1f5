// The lines of a long list that are judged next, fetched before they are wanted.

/**
 * `known()` are the lines that are here, of `total()` in the list; `ask(asked)` fetches some, all of them anew once `age()`
 * is another.
 */
export function createOpenLines({ known, isSettled, ask, age, total }) {
  let chain = null; // from an index on, all open lines of the next `reach` places are known, to the line `last`
  let extending = null;

  const gap = (from, to) => (to - from + total()) % total();
  const openBut = (line) => known().filter((each) => each !== line && !isSettled(each) && each.flag !== "asked");
  const nearest = (line, lines) => lines.reduce((best, each) =>
    (best && gap(line.index, best.index) <= gap(line.index, each.index) ? best : each), null);

  // Whether all that is open from a line in hand to another one is known.
  const isKnownTo = (line, each) => chain?.isAll || (chain && gap(chain.from, line.index) + gap(line.index, each.index) <= chain.reach);

  // The next line to be judged; null where there is none, undefined where that is not known.
  const decide = (line) => {
    const open = openBut(line);
    const next = nearest(line, open.filter((each) => !each.later));
    if (chain?.isAll) return next ?? nearest(line, open);
    return next && isKnownTo(line, next) ? next : undefined;
  };

  const extend = async (line) => {
    const goesOn = chain && gap(chain.from, line.index) <= chain.reach ? chain : { from: line.index, reach: 0, last: line };
    const [ageThen, totalThen] = [age(), total()];
    const found = await ask({ filter: "unjudged", words: "", after: goesOn.last.id });
    if (ageThen !== age() || totalThen !== total()) return; // what was known is forgotten, or places are others
    const last = found.lines.at(-1) ?? goesOn.last;
    const reach = goesOn.reach + (gap(goesOn.last.index, last.index) || total());
    chain = { from: goesOn.from, reach, last, isAll: reach >= total() || found.lines.length >= found.number };
  };
  const extendOnce = (line) => {
    extending ??= extend(line).finally(() => { extending = null; });
    return extending;
  };
  const search = async (line) => {
    while (decide(line) === undefined) await extendOnce(line);
    return decide(line);
  };

  /** The lines judged next, of those that are known, in their order. */
  const all = (line) => {
    const open = openBut(line).filter((each) => isKnownTo(line, each));
    open.sort((one, other) => gap(line.index, one.index) - gap(line.index, other.index));
    return [...open.filter((each) => !each.later), ...(chain?.isAll ? open.filter((each) => each.later) : [])];
  };

  return {
    all,

    /** The next line to be judged, or a promise of it; null where there is none. */
    next(line) {
      const next = decide(line);
      return next === undefined ? search(line) : next;
    },

    /** Of the next two lines to be judged those that are known; the others are on their way. */
    following(line) {
      const next = decide(line);
      const second = next && decide(next);
      if (next === undefined || second === undefined) extendOnce(next ?? line).catch(() => { /* when it is wanted */ });
      return [next, second].filter((each) => each && each !== line);
    },

    /** Know so many of them, or all. */
    async reach(line, number) {
      while (!chain?.isAll && all(line).length < number) await extendOnce(line);
    },

    /** What is known may be otherwise by now. */
    forget() { chain = null; },
  };
}
