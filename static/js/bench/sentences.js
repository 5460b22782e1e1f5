// Where the sentences of a text begin and end. The browser's own bounds, corrected: no end inside a bracket, after an
// abbreviation ("Fig. 1", "et al.") or where a line was broken; a mark of the page, "(p. 2)", goes with the sentence before it.
const BEFORE_NUMBERS = /(?:^|[\s(\[])(?:pp?|figs?|tabs?|eqs?|refs?|secs?|vols?|ch|nos?|suppl|supp|ext)\.$/i;
const BEFORE_ANYTHING = /(?:^|[\s(\[])(?:e\.g|i\.e|et al|cf|vs|viz|approx|ca|dr|prof|mrs?|ms|st|resp|incl)\.$/i;
const NUMBER = /^[([]?(?:[A-Z]{0,2}\d|[IVX]+\b|[A-Z]\b)/;
const PAGE_MARK = /^[([]pp?\.\s?\d+(?:\s?[-–,]\s?\d+)*[)\]]/;
const MARK_AFTER_END = /[.!?…]["'”’)\]]*[^\S\n]+[([]pp?\.\s?\d+(?:\s?[-–,]\s?\d+)*[)\]]\s+(?=[\p{Lu}\d"“‘(])/gu;
const ENDED = /[.!?:;…]["'”’)\]]*$/;
const OPENED_BEHIND_END = /(?<=[。！？｡][」』）】》〉〕］”’｣]*)[「『（《〈【〔［“‘｢]+$/u; // goes with the sentence behind it
const SAID_SO = /^(?:と(?!ころ)|っ)/; // 「…。」と…: who says it follows in the same sentence
const LONGEST_IN_BRACKETS = 600;
const THAI_BLANK = /(?<=[\u0e00-\u0eff])[^\S\n]+(?=[\u0e00-\u0eff])/gu; // Thai and Lao have no other sign of a sentence's end
const SHORTEST_THAI = 30;

/** [from, to] of every sentence, in UTF-16 units, without the space around it. */
export function sentencesOf(text) {
  const raw = [];
  for (const { segment, index } of new Intl.Segmenter("en", { granularity: "sentence" }).segment(text)) {
    const before = raw.at(-1);
    const [begins] = OPENED_BEHIND_END.exec(before ? text.slice(...before) : "") ?? [""];
    const from = index - begins.length;
    if (before) before[1] = from;
    if (before && goesOn(text.slice(...before), begins + segment)) before[1] = index + segment.length;
    else raw.push([from, index + segment.length]);
  }
  return movePageMarks(text, raw.flatMap((each) => splitAtMarks(text, each)).flatMap((each) => splitAtBlanks(text, each))).map(([from, to]) => trimmed(text, from, to)).filter(([from, to]) => to > from);
}

/** Whether a sentence that seemed to end goes on with `next`. */
function goesOn(before, next) {
  const said = before.trimEnd();
  const gap = before.slice(said.length);
  if (!said || /\n\s*\n/.test(gap)) return false;
  if (/[。！？｡][」』”’]+$/.test(said) && SAID_SO.test(next)) return true;
  if (BEFORE_ANYTHING.test(said)) return true;
  if (BEFORE_NUMBERS.test(said) && NUMBER.test(next)) return true;
  if (said.length < LONGEST_IN_BRACKETS && closes(said, next)) return true;
  return gap.includes("\n") && !ENDED.test(said) && /^\s*\p{Ll}/u.test(next);
}

/** Whether `next` closes a bracket that `said` leaves open. */
function closes(said, next) {
  return [["(", ")"], ["[", "]"]].some(([open, close]) => {
    const end = next.indexOf(close);
    const begin = next.indexOf(open);
    return said.lastIndexOf(open) > said.lastIndexOf(close) && end >= 0 && (begin < 0 || end < begin);
  });
}

/** One that seemed to go on behind the page mark of a sentence ends at that mark. */
function splitAtMarks(text, [from, to]) {
  const ends = [...text.slice(from, to).matchAll(MARK_AFTER_END)].map((match) => from + match.index + match[0].length);
  const edges = [from, ...ends, to];
  return edges.slice(1).map((edge, at) => [edges[at], edge]);
}

/** Thai ends at a blank, where enough stands before it: `assess/documents/marks.py` cuts it so, too. */
function splitAtBlanks(text, [from, to]) {
  const edges = [from];
  for (const match of text.slice(from, to).matchAll(THAI_BLANK)) {
    if (from + match.index - edges.at(-1) >= SHORTEST_THAI) edges.push(from + match.index + match[0].length);
  }
  return edges.map((edge, at) => [edge, edges[at + 1] ?? to]);
}

/** A page mark at the beginning goes to the sentence before, where that stands on the same line. */
function movePageMarks(text, raw) {
  const found = [];
  for (const [from, to] of raw) {
    const mark = PAGE_MARK.exec(text.slice(from, to));
    const before = found.at(-1);
    if (!mark || !before || text.slice(...before).trimEnd() === "" || /\n\s*$/.test(text.slice(...before))) {
      found.push([from, to]);
      continue;
    }
    before[1] = from + mark[0].length;
    if (text.slice(before[1], to).trim()) found.push([before[1], to]);
    else before[1] = to; // with the space behind it, which says whether the line ends here
  }
  return found;
}

function trimmed(text, from, to) {
  const part = text.slice(from, to);
  const begin = from + part.length - part.trimStart().length;
  return [begin, Math.max(begin, from + part.trimEnd().length)];
}
