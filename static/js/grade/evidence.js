// Snippets of the document that go with a judgment: selected with the pointer or sentence by sentence, added, taken out.
import { paintSpans, selectedSpan } from "../bench/spans.js";
import { addAloud, shortened } from "../bench/status-line.js";
import { startSentences } from "../bench/text-sentences.js";
import { whyNothing } from "../bench/translations.js";
import { worded, written } from "../web/words.js";

export function createEvidence({ holder, form, onChange, say, showText }) {
  let shown = null;
  let marked = null; // what is selected, read before a key or a click takes the selection away
  let leave = null;
  for (const sign of ["keydown", "pointerdown"]) {
    document.addEventListener(sign, () => { marked = readMarked(holder); }, { capture: true });
  }

  const takers = () => [...holder.querySelectorAll("[data-takes-evidence]")];
  const taker = () => (form.activeForm()?.matches("[data-takes-evidence]") ? form.activeForm() : takers()[0]);
  const keyOf = (each) => each.dataset.criterion;
  const snippetsOf = (line, key) => line.evidence[key] ?? [];

  const add = (span) => {
    const each = taker();
    if (!each || !shown) return;
    if (!span) {
      say(whyNothing());
      return;
    }
    const before = snippetsOf(shown, keyOf(each));
    const quote = written(shortened(span.quote), holder.querySelector("[data-text]"));
    const isThere = before.some((one) => one.start === span.start && one.end === span.end);
    if (isThere) return void say(worded("This snippet is there already: “{quote}”", { quote }));
    const isGiven = onChange(shown, keyOf(each), [...before, { ...span, value: null }]);
    if (!isGiven) say(worded("Snippet added: “{quote}”", { quote }));
  };

  const chooseSentences = async () => {
    if (!holder.querySelector("[data-text]")) await showText();
    const text = holder.querySelector("[data-text]");
    if (!text) return void say(worded("There is no text to choose from."));
    leave?.();
    leave = startSentences(text, {
      say,
      onTake: (span) => add({ ...span, digest: text.dataset.textSha256 }),
      onLeave: () => { leave = null; holder.querySelector("[data-answer]")?.focus({ preventScroll: true }); },
    });
  };

  const paint = (line) => {
    if (!line || line !== shown) return;
    for (const each of takers()) {
      each.querySelector("[data-snippets]").replaceChildren(
        ...snippetsOf(line, keyOf(each)).map((snippet, index) => lineOf(each, snippet, index)),
      );
      if (snippetsOf(line, keyOf(each)).length) each.querySelector("[data-evidence-reminder]").hidden = true;
    }
    paintSpans(holder.querySelector("[data-text]"), takers().flatMap((each) => snippetsOf(line, keyOf(each))));
  };

  holder.addEventListener("click", (event) => {
    if (event.target.closest("[data-add-snippet]")) add(marked);
    if (event.target.closest("[data-mark-sentences]")) chooseSentences();
    const remove = event.target.closest("[data-remove-snippet]");
    if (!remove || !shown) return;
    const key = keyOf(remove.closest("[data-criterion]"));
    onChange(shown, key, snippetsOf(shown, key).toSpliced(Number(remove.dataset.removeSnippet), 1));
    say(worded("Snippet taken out."));
    holder.querySelector("[data-answer]")?.focus({ preventScroll: true });
  });
  holder.addEventListener("change", (event) => {
    const select = event.target.closest("[data-snippet-value], [data-snippet-label]");
    if (!select || !shown) return;
    const key = keyOf(select.closest("[data-criterion]"));
    const [name] = Object.keys(select.dataset);
    const at = Number(select.dataset[name]);
    const change = name === "snippetLabel" ? { label: select.value } : { value: select.value === "" ? null : Number(select.value) };
    onChange(shown, key, snippetsOf(shown, key).with(at, { ...snippetsOf(shown, key)[at], ...change }));
    const attribute = name === "snippetLabel" ? "data-snippet-label" : "data-snippet-value";
    holder.querySelector(`[data-criterion="${key}"] [${attribute}="${at}"]`)?.focus();
  });

  return {
    paint,
    begin(line) {
      leave?.();
      shown = line;
      for (const keys of holder.querySelectorAll("[data-evidence-keys]")) keys.hidden = false;
      paint(line);
    },
    /** Whether to stay for a snippet: the value should come with one, there is none, and it was not said before. */
    remind(line, key, value, before) {
      const each = takers().find((one) => keyOf(one) === key);
      const wanted = each?.dataset.takesEvidence.split(" ").filter(Boolean).map(Number) ?? [];
      if (!wanted.includes(value) || snippetsOf(line, key).length || before === value) return false;
      const reminder = each.querySelector("[data-evidence-reminder]");
      reminder.hidden = false;
      addAloud(reminder.textContent);
      return true;
    },
  };
}

function lineOf(form, snippet, index) {
  const line = document.createElement("li");
  const lang = document.querySelector("[data-text]")?.lang ?? "";
  const textContent = snippet.quote.length > 300 ? `${snippet.quote.slice(0, 300)} …` : snippet.quote;
  const quote = Object.assign(document.createElement("q"), { dir: "auto", lang, textContent });
  const select = document.createElement("select");
  select.dataset.snippetValue = index;
  select.setAttribute("aria-label", worded("Grade of snippet {index}", { index: index + 1 }));
  select.append(new Option(worded("as above"), ""));
  for (const grade of form.querySelectorAll("[data-grade]:not(.unsure)")) select.append(new Option(grade.dataset.grade, grade.value));
  select.value = snippet.value ?? "";
  const remove = document.createElement("button");
  Object.assign(remove, { type: "button", className: "quiet", textContent: worded("take out") });
  remove.dataset.removeSnippet = index;
  remove.setAttribute("aria-label", worded("Take out snippet {index}", { index: index + 1 }));
  select.disabled = remove.disabled = form.querySelector("[data-grade]").disabled;
  line.append(quote, form.dataset.labels ? labelsOf(form, snippet, index, select.disabled) : select, remove);
  return line;
}

// In place of a grade of its own a snippet has one of the labels that the question names.
function labelsOf(form, snippet, index, disabled) {
  const select = document.createElement("select");
  select.dataset.snippetLabel = index;
  select.setAttribute("aria-label", worded("Label of snippet {index}", { index: index + 1 }));
  select.append(new Option(worded("no label"), ""), ...JSON.parse(form.dataset.labels).map((label) => new Option(label, label)));
  Object.assign(select, { value: snippet.label ?? "", disabled });
  return select;
}

function readMarked(holder) {
  const text = holder.querySelector("[data-text]");
  const span = text && selectedSpan(text);
  return span?.quote.trim() ? { ...span, digest: text.dataset.textSha256 } : null;
}
