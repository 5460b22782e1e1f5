// What is marked, by item: identical strings of several responses are one item, so one mark shows in all of them.
const keyOf = (number, part) => `${number}.${part}`;

export function createMarks(bench) {
  const items = new Map();
  const responses = [...bench.querySelectorAll("[data-response]")].map((element, index) => ({
    element, index, number: Number(element.dataset.response), strings: [...element.querySelectorAll("[data-string]")],
  }));
  for (const response of responses) {
    for (const element of response.strings) {
      const id = element.dataset.string;
      if (items.has(id)) continue;
      const marks = new Map(JSON.parse(element.dataset.marks).map(([number, part, value, quote]) =>
        [keyOf(number, part), { number, part, value, quote }]));
      items.set(id, { id, marks, state: element.dataset.state, dismissed: new Set() });
    }
  }

  const isSettled = (id) => items.get(id).state !== "open";
  const itemOf = (string) => items.get(string.dataset.string);
  const isThere = (mark) => mark.value !== "absent";
  const has = (item, number) => [...item.marks.values()].some((mark) => mark.number === number && isThere(mark));

  return {
    responses, itemOf, has, isSettled, isThere,
    item: (id) => items.get(String(id)),

    mark: (item, number, part = 0) => item.marks.get(keyOf(number, part)) ?? null,

    /** What is said of a nugget as a whole: "full", "partial", "absent" or "". */
    said: (item, number) => item.marks.get(keyOf(number, 0))?.value ?? "",

    /** The marks that what is said of a nugget (part 0) or of a part of it stands instead of: the parts, or the whole. */
    replacedBy: (item, number, part) => [...item.marks.values()].filter((mark) => mark.number === number && !mark.part !== !part),

    /** What is shown of a nugget in a string: part, value and quote of each mark. */
    shown: (item, number) => [...item.marks.values()].filter((mark) => mark.number === number)
      .map(({ part, value, quote }) => [part, value, quote]).sort(([one], [other]) => one - other),

    /** Sets what is said: "full", "partial", "absent", or "" for nothing. A part and the whole do not stand together. */
    set(item, { number, part = 0, value, quote = "" }) {
      for (const other of value === "" ? [] : this.replacedBy(item, number, part)) item.marks.delete(keyOf(number, other.part));
      if (value === "") item.marks.delete(keyOf(number, part));
      else item.marks.set(keyOf(number, part), { number, part, value, quote });
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
    count: (number) => responses.filter((each) => each.number
      && each.strings.some((string) => has(itemOf(string), number))).length,

    /** Numbers suggested for a string that are neither marked nor turned down. */
    suggested: (string) => string.dataset.suggested.split(" ").filter(Boolean).map(Number)
      .filter((number) => !itemOf(string).marks.has(keyOf(number, 0)) && !has(itemOf(string), number) && !itemOf(string).dismissed.has(number)),

    isFinished: (response) => response.strings.every((string) => isSettled(string.dataset.string)),

    /** The next response with something to look at, going round. */
    nextOpen(response) {
      const round = [...responses.slice(response.index + 1), ...responses.slice(0, response.index)];
      return round.find((each) => !this.isFinished(each));
    },

    get progress() {
      const wanted = [...items.values()].filter((item) => item.state !== "excused");
      return { done: wanted.filter((item) => item.state === "judged").length, total: wanted.length };
    },
  };
}
