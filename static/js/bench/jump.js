// Going to a line of the list by its number, showing only lines with some words, and saying where a step led.
const END = { 1: "This is the last item of the list.", "-1": "This is the first item of the list." };
const NO_MORE = { 1: "No further item is shown.", "-1": "No earlier item is shown." };

/** `go(line)` as in moving.js; `current()` is the line in hand, `search()` shows the list by the words that are asked for. */
export function createJump({ bench, list, say, go, current, search }) {
  const walk = async (coming, end = "") => {
    if (coming && coming === current()) return void say(end);
    const before = current();
    if (!(await go(coming))) return;
    const line = current();
    say(line === before ? end : `${line.index + 1} of ${list.total}: ${line.element.querySelector(".said").textContent}`);
  };
  const toAnswer = () => bench.querySelector("[data-answer]")?.focus();

  const jump = async (field) => {
    const place = Number(field.value);
    if (!Number.isInteger(place) || place < 1 || place > list.total) return void say(`The items of this list have the numbers 1 to ${list.total}.`);
    field.value = "";
    await walk(list.at(place), `${place} is the item in hand.`);
    toAnswer();
  };
  let searching; // what the last words show is on its way
  const show = (words) => {
    if (words === (bench.dataset.words ?? "")) return;
    bench.dataset.words = words;
    searching = search();
  };
  const openFirst = async () => {
    const mine = searching;
    if ((await mine) === false || mine !== searching) return;
    const first = bench.querySelector("[data-work-list] > [data-item]:not([hidden]) > a");
    if (!first) return void say("No item has these words.");
    first.click();
    toAnswer();
  };
  const isPart = () => bench.dataset.words || bench.querySelector("[data-filter-by][aria-current]")?.dataset.filterBy !== "all";

  const tools = bench.querySelector("[data-list-tools]");
  if (tools) {
    const [words, place] = [tools.querySelector("[data-list-words]"), tools.querySelector("[data-list-place]")];
    tools.hidden = false;
    words.addEventListener("input", () => show(words.value.trim()));
    tools.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Escape") {
        if (event.target === words) show(words.value = "");
        toAnswer();
      }
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (event.target === place) jump(place);
      else openFirst();
    });
  }

  return {
    /** To the line before or after. */
    step: (by) => walk(list.step(current(), by), (isPart() ? NO_MORE : END)[by]),
    /** To the next that is open. */
    open: () => walk(list.nextOpen(current()), "No other item is open."),
  };
}
