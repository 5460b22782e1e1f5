// What is marked, by item: identical strings of several responses are one item, so one mark shows in all of them. Of a long
// bench the page holds one response; of the others it knows how many strings are left in each, until they come (others.js).
const keyOf = (number, part) => `${number}.${part}`;

export function createMarks(bench) {
  const items = new Map();
  const responses = [];
  let counts = new Map(); // in how many responses each nugget is marked
  let progress = { done: 0, total: 0 };

  const marksOf = (element) => new Map(JSON.parse(element.dataset.marks).map(([number, part, value, quote]) =>
    [keyOf(number, part), { number, part, value, quote }]));

  /** Take in a response that came, as an element of this page. `isKept(item)`: what is known here of it stays. */
  const add = (element, isKept = () => true) => {
    const response = responses[Number(element.dataset.index)];
    response.element = element;
    response.strings = [...element.querySelectorAll("[data-string]")];
    for (const string of response.strings) {
      const { string: id, state } = string.dataset;
      const item = items.get(id) ?? { id, dismissed: new Set() };
      if (!items.has(id) || !isKept(item)) Object.assign(item, { marks: marksOf(string), state });
      items.set(id, item);
    }
    return response;
  };

  /** Take over what the server says of all responses; whether it was otherwise. */
  const takeOutline = ({ dataset }) => {
    const before = JSON.stringify([[...counts], progress, responses.map((each) => each.left)]);
    dataset.left.split(" ").filter(Boolean).forEach((left, index) => {
      const number = index < Number(dataset.numbered) ? index + 1 : 0;
      responses[index] ??= { index, number, element: null, strings: null };
      responses[index].left = Number(left);
    });
    counts = new Map(dataset.counts.split(" ").filter(Boolean).map((each) => each.split(":").map(Number)));
    progress = { done: Number(dataset.done), total: Number(dataset.total) };
    return before !== JSON.stringify([[...counts], progress, responses.map((each) => each.left)]);
  };

  takeOutline(bench.querySelector("[data-strings]"));
  for (const element of bench.querySelectorAll("[data-response]")) add(element);

  const isSettled = (id) => items.get(id).state !== "open";
  const itemOf = (string) => items.get(string.dataset.string);
  const isThere = (mark) => mark.value !== "absent";
  const has = (item, number) => [...item.marks.values()].some((mark) => mark.number === number && isThere(mark));
  const holding = (item) => responses.filter((each) => each.strings?.some((string) => string.dataset.string === item.id));
  const isIn = (response, number) => response.strings.some((string) => has(itemOf(string), number));
  const replacedBy = (item, number, part) => [...item.marks.values()].filter((mark) => mark.number === number && !mark.part !== !part);

  const isUnsaid = (string, number) => !itemOf(string).marks.has(keyOf(number, 0)) && !has(itemOf(string), number);
  const draftsOf = (string) => new Map(string.dataset.drafts.split(" ").filter(Boolean).map((each) => each.split(":")).map(([number, value]) => [Number(number), value]));

  return {
    /** Whether a bench has the same responses at the same places. */
    isSame(found) {
      const { left, numbered } = found.querySelector("[data-strings]").dataset;
      return left.split(" ").filter(Boolean).length === responses.length && Number(numbered) === this.numbered;
    },

    responses, itemOf, has, isSettled, isThere, add, takeOutline, replacedBy,
    item: (id) => items.get(String(id)),
    homeOf: (item) => holding(item)[0],
    numbered: responses.filter((each) => each.number).length,

    mark: (item, number, part = 0) => item.marks.get(keyOf(number, part)) ?? null,

    /** What is said of a nugget as a whole: "full", "partial", "absent" or "". */
    said: (item, number) => item.marks.get(keyOf(number, 0))?.value ?? "",

    /** What is shown of a nugget in a string: part, value and quote of each mark. */
    shown: (item, number) => [...item.marks.values()].filter((mark) => mark.number === number)
      .map(({ part, value, quote }) => [part, value, quote]).sort(([one], [other]) => one - other),

    /** Sets what is said: "full", "partial", "absent", or "" for nothing. A part and the whole do not stand together. */
    set(item, { number, part = 0, value, quote = "" }) {
      const among = holding(item).filter((each) => each.number);
      const before = among.filter((each) => isIn(each, number)).length;
      for (const other of value === "" ? [] : replacedBy(item, number, part)) item.marks.delete(keyOf(number, other.part));
      if (value === "") item.marks.delete(keyOf(number, part));
      else item.marks.set(keyOf(number, part), { number, part, value, quote });
      counts.set(number, (counts.get(number) ?? 0) + among.filter((each) => isIn(each, number)).length - before);
    },

    /** Sets whether an item was looked at: "judged" or "open". */
    setState(item, state) {
      if (item.state !== "excused") progress.done += (state === "judged") - (item.state === "judged");
      item.state = state;
    },

    /** The lowest part of a nugget that no string of the response has yet; of one that this item has, that part. */
    nextPart(item, number, response) {
      const own = [...item.marks.values()].find((mark) => mark.number === number && mark.part && isThere(mark));
      if (own) return { part: own.part, isOwn: true };
      const taken = new Set(response.strings.flatMap((string) => [...itemOf(string).marks.values()])
        .filter((mark) => mark.number === number && isThere(mark)).map((mark) => mark.part));
      let part = 1;
      while (taken.has(part)) part += 1;
      return { part, isOwn: false };
    },

    /** In how many responses a nugget is marked: once in each, however many of its strings have it. */
    count: (number) => counts.get(number) ?? 0,

    /** What a machine's draft says of nuggets in a string: number -> "full", "partial" or "absent". */
    drafts: draftsOf,

    /** The drafts of which nothing is said yet: number and value of each, those that find a nugget first. */
    openDrafts: (string) => [...draftsOf(string)].filter(([number]) => isUnsaid(string, number)).map(([number, value]) => ({ number, value }))
      .sort((one, other) => (one.value === "absent") - (other.value === "absent")),

    /** Numbers suggested for a string that are neither marked nor turned down; those that a draft speaks of first. */
    suggested(string) {
      const hinted = string.dataset.suggested.split(" ").filter(Boolean).map(Number);
      return [...new Set([...this.openDrafts(string).map((each) => each.number), ...hinted])]
        .filter((number) => isUnsaid(string, number) && !itemOf(string).dismissed.has(number));
    },

    isFinished: ({ strings, left }) => (strings ? strings.every((string) => isSettled(string.dataset.string)) : left === 0),

    /** The next response with something to look at, going round; it may have to come first. */
    nextOpen(response) { return this.allOpen(response)[0]; },

    /** All of them, in the order in which they come. */
    allOpen(response) {
      const round = [...responses.slice(response.index + 1), ...responses.slice(0, response.index)];
      return round.filter((each) => !this.isFinished(each));
    },

    get progress() { return progress; },
  };
}
