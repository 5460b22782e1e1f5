// How the bench of matches looks for what is marked: chips under strings, ticks beside nuggets, counts, progress.
import { quoteOf } from "../bench/status-line.js";
import { tell, worded } from "../web/words.js";
const STATES = { open: worded("○ not looked at"), judged: worded("● looked at"), excused: worded("⊘ excused") };

const DRAFTED = { full: worded("in it"), partial: worded("partly in it"), absent: worded("not in it") };

export function createPainter({ bench, isPending }, marks) {
  const rows = [...bench.querySelectorAll("[data-nugget]")].map((element) => ({
    element,
    number: Number(element.dataset.nugget),
    place: Number(element.dataset.place),
    words: element.querySelector("[data-nugget-text]"),
    text: element.querySelector("[data-nugget-text]").textContent,
    glyph: element.querySelector(".glyph").textContent, // none where importance is not asked
    button: element.querySelector("button"),
    here: element.querySelector("[data-here]"),
    count: element.querySelector("[data-count]"),
  }));
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const chip = (string, mark, response) => {
    const element = document.createElement("span");
    const row = byNumber.get(mark.number);
    element.className = "chip";
    const first = response.strings.find((other) => marks.has(marks.itemOf(other), mark.number));
    const counted = mark.part || first === string ? "" : worded(" · counted once, in [{letter}]", { letter: first.dataset.letter });
    tell(element, `${mark.number}${mark.part ? `.${mark.part}` : ""} ${row?.glyph ?? ""} ${row ? quoteOf(row.words, 60) : ""} ${mark.value === "partial" ? worded("◐ partly") : "✓"}${counted}`);
    if (mark.quote) {
      const quote = document.createElement("q");
      quote.dir = "auto";
      quote.lang = string.querySelector("[data-words]").lang;
      quote.textContent = mark.quote;
      element.append(" ", quote);
    }
    return element;
  };

  const paintString = (string, response) => {
    const item = marks.itemOf(string);
    const carried = string.dataset.carried;
    string.dataset.state = item.state;
    string.toggleAttribute("data-pending", isPending(item));
    string.querySelector(".state").textContent = STATES[item.state];
    if (carried) {
      const isCarried = item.marks.size > 0 || item.state === "judged";
      string.querySelector(".carried").textContent = isCarried ? worded("◐ carried over from response {carried}", { carried }) : worded("◐ the same as in response {carried}", { carried });
    }
    const said = [...item.marks.values()].sort((a, b) => a.number - b.number || a.part - b.part);
    const absent = said.filter((mark) => !marks.isThere(mark)).map((mark) => mark.number);
    const chips = said.filter(marks.isThere).map((mark) => chip(string, mark, response));
    if (absent.length) chips.push(absentChip(absent));
    string.querySelector("[data-chips]").replaceChildren(...chips);
    const [first] = marks.suggested(string);
    const drafts = marks.openDrafts(string);
    const draft = drafts.find((each) => each.number === first)?.value;
    const all = drafts.length > 1 ? worded(" · {length} drafts, all of them Y", { length: drafts.length }) : "";
    const row = byNumber.get(first);
    const about = { first, glyph: row?.glyph ?? "", slice: row ? quoteOf(row.words, 50) : "" };
    const offered = draft ? worded("{first} {glyph} {slice} draft: {drafted} (y/n)", { ...about, drafted: DRAFTED[draft] }) : worded("{first} {glyph} {slice} suggested (y/n)", about);
    tell(string.querySelector("[data-suggestion]"), first === undefined || item.state !== "open" ? "" : offered + all);
  };

  return {
    rows,
    row: (number) => byNumber.get(number),

    response(response) {
      for (const each of marks.responses) if (each.element) each.element.hidden = each !== response;
      bench.querySelector("[data-response-name]").textContent = response.number
        ? worded("response {number} of {numbered}", { number: response.number, numbered: marks.numbered }) : worded("further {units} of the pool", { units: bench.dataset.units });
      this.strings(response);
    },

    strings(response) {
      for (const string of response.strings) paintString(string, response);
      const numbers = new Set(response.strings.flatMap((string) => [...marks.itemOf(string).marks.values()].filter(marks.isThere).map((mark) => mark.number)));
      const left = response.strings.filter((string) => !marks.isSettled(string.dataset.string)).length;
      bench.querySelector("[data-response-said]").textContent = `${numbers.size === 1 ? worded("1 nugget in it, each counted once")
        : worded("{number} nuggets in it, each counted once", { number: numbers.size })} · ${left ? worded("{left} to look at", { left }) : worded("all looked at ✓")}`;
    },

    nuggets(string, response) {
      const item = string && marks.itemOf(string);
      bench.querySelector("[data-in-hand-name]").textContent = string ? `[${string.dataset.letter}]` : worded("the {unit}", { unit: bench.dataset.unit });
      for (const row of rows) {
        const isHere = Boolean(item && marks.has(item, row.number));
        row.button.setAttribute("aria-pressed", String(isHere));
        row.button.dataset.said = item ? marks.said(item, row.number) : "";
        const letters = response ? response.strings.filter((other) => marks.has(marks.itemOf(other), row.number)).map((other) => other.dataset.letter) : [];
        const said = { partial: worded("partly · "), absent: worded("not in it · ") }[row.button.dataset.said] ?? "";
        const draft = string && DRAFTED[marks.drafts(string).get(row.number)];
        row.here.textContent = (draft ? worded("draft: {draft} · ", { draft }) : "") + said + (letters.length ? worded("here in {join} · ", { join: letters.join(", ") }) : "");
        row.count.textContent = worded("in {number}", { number: marks.count(row.number) });
      }
    },

    progress() {
      const { done, total: all } = marks.progress;
      bench.querySelector("[data-progress]").value = done;
      bench.querySelector("[data-progress-words]").textContent = worded("{done} of {all} {units} looked at", { done, all, units: bench.dataset.units });
      return { done, total: all };
    },
  };
}

function absentChip(numbers) {
  const element = document.createElement("span");
  element.className = "chip absent";
  element.textContent = worded("✗ not in it: {join}", { join: numbers.join(", ") });
  return element;
}
