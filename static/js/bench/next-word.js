// Where the next word of a text ends or begins. The browser knows the words of what is written without blanks.
const REACH = 2000; // UTF-16 units before and behind: to cut a long text whole takes a quarter of a second
const MARGIN = 200; // at the edges of what is near a word may be cut in two
const LETTER = /[\p{L}\p{N}]/u; // Firefox says of words that end with a vowel sign that they are none

/** The UTF-16 offset of the next edge ("begin" or "end") of a word behind `at`, or before it (`by` -1); else `at`. */
export function nextWord(text, at, edge, by) {
  for (const reach of [REACH, text.length]) {
    const found = edgesNear(text, at, edge, reach).filter((each) => (by > 0 ? each > at : each < at));
    if (found.length) return by > 0 ? found[0] : found.at(-1);
  }
  return at;
}

function edgesNear(text, at, edge, reach) {
  const [from, to] = [Math.max(at - reach, 0), Math.min(at + reach, text.length)];
  const words = [...new Intl.Segmenter("en", { granularity: "word" }).segment(text.slice(from, to))].filter((each) => LETTER.test(each.segment));
  return words.map((each) => from + each.index + (edge === "end" ? each.segment.length : 0))
    .filter((each) => (from === 0 || each > from + MARGIN) && (to === text.length || each < to - MARGIN));
}
