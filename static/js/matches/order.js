// In which order nuggets stand beside the string in hand: likely ones first, their numbers unchanged; words that both have
// are painted. The server says the order; where it says none, that of the list stays.
const wordsOf = (text = "") => text.split(" ").filter(Boolean);
const SHARED = "shared-words";
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** What finds these words in a text: whole ones, but where words are written without blanks. */
function finderOf(words) {
  const escaped = (each) => each.replace(/[^\p{L}\p{N}\p{M}]/gu, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`);
  const spaced = words.filter((each) => !UNSPACED.test(each)).map(escaped);
  const unspaced = words.filter((each) => UNSPACED.test(each)).map(escaped);
  const parts = [spaced.length && `(?<![\\p{L}\\p{N}])(?:${spaced.join("|")})(?![\\p{L}\\p{N}])`, ...unspaced];
  return new RegExp(parts.filter(Boolean).join("|") || "(?!)", "gu");
}

export function createOrder(bench, { painter, hand, filter }) {
  const list = bench.querySelector(".nugget-list");
  let last = null;
  list.dataset.arranged = "";

  const paint = (string) => {
    if (!globalThis.Highlight || !globalThis.CSS?.highlights) return;
    const finder = finderOf(wordsOf(string.dataset.shared));
    const ranges = painter.rows.flatMap(({ words, text }) => [...text.matchAll(finder)].map((found) => {
      const range = new Range();
      range.setStart(words.firstChild, found.index);
      range.setEnd(words.firstChild, found.index + found[0].length);
      return range;
    }));
    CSS.highlights.set(SHARED, new Highlight(...ranges));
  };

  return {
    /** Arrange the list for a string that was taken in hand; where likely ones stand first, the first is in hand. */
    begin(string) {
      if (!string || string === last) return;
      last = string;
      const first = wordsOf(string.dataset.first).map(Number);
      const ranks = new Map(first.map((number, rank) => [number, rank]));
      const rankOf = (row) => ranks.get(row.number) ?? first.length;
      const before = painter.rows.map((row) => row.number).join(" ");
      painter.rows.sort((one, other) => rankOf(one) - rankOf(other) || one.place - other.place);
      if (painter.rows.map((row) => row.number).join(" ") !== before) list.append(...painter.rows.map((row) => row.element));
      paint(string);
      if (!first.length) return;
      filter.clear();
      hand.take(painter.rows[0], false);
    },

    /** Take over what the server offers now for the strings of a response, but for the one in hand. */
    async freshen(response, others) {
      const found = await others.again(response).catch(() => null); // without it the order stays that came with them
      if (!found) return;
      for (const string of response.strings ?? []) {
        const now = found.querySelector(`[data-string="${string.dataset.string}"]`);
        if (now && string !== last) Object.assign(string.dataset, { first: now.dataset.first, suggested: now.dataset.suggested, drafts: now.dataset.drafts });
      }
    },
  };
}
