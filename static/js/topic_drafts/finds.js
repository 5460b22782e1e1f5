// What is found: the words marked in the document go into the form for an answer or a nugget, with their place.
import { paintSpans, selectedSpan } from "../bench/spans.js";
import { shortened } from "../bench/status-line.js";
import { startSentences } from "../bench/text-sentences.js";
import { tell, worded, written } from "../web/words.js";

let taken = null; // the span chosen by keys, until another one is marked
let leave = null;

/** Make the forms for what is found work; called again where the page shows them anew. */
export function bindFinds(bench) {
  for (const details of bench.querySelectorAll("[data-find]:not([data-bound])")) {
    details.dataset.bound = "";
    bind(bench, details);
  }
}

/** t goes through the document sentence by sentence. */
export function startMarking({ bench, say }) {
  const button = bench.querySelector("[data-draft-sentences]");
  const text = bench.querySelector("[data-text]");
  if (!button || !text) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    leave?.();
    taken = null;
    paintSpans(text, []);
    const onTake = (span) => {
      taken = span;
      paintSpans(text, [span]);
      say(worded("Marked “{quote}”. Save it with {keysOf}.", { quote: written(shortened(span.quote), text), keysOf: keysOf(bench) }));
    };
    leave = startSentences(text, { say, onTake, onLeave: () => { leave = null; } });
  });
}

function keysOf(bench) {
  const keys = [...bench.querySelectorAll("[data-find]")].map((each) => `${each.querySelector("summary").dataset.key} (${each.dataset.findName})`);
  return keys.join(worded(" or ")) || worded("a or w, once a question is written");
}

function bind(bench, details) {
  const form = details.querySelector("[data-find-form]");
  const from = form.querySelector("[data-find-from]");
  const summary = details.querySelector("summary");
  const { text: field, docno, quote, span: place } = form.elements;

  const fill = (span) => {
    quote.value = span?.quote ?? "";
    place.value = span ? JSON.stringify(span) : "";
    from.hidden = !span;
    if (!span) return;
    field.value = span.quote.replace(/\s+/g, " ").trim();
    docno.value = bench.querySelector("[data-document]").dataset.document;
    tell(from, worded("From “{quote}”", { quote: written(shortened(span.quote, 90), bench.querySelector("[data-text]")) }));
  };
  const close = () => {
    details.open = false;
    summary.focus();
  };

  summary.addEventListener("click", (event) => {
    event.preventDefault();
    if (details.open && details.contains(document.activeElement)) {
      close();
      return;
    }
    leave?.();
    const holder = bench.querySelector("[data-text]");
    const span = (holder && selectedSpan(holder)) ?? taken;
    details.open = true; // at once, so that what is typed next is text
    fill(span);
    paintSpans(holder, span ? [span] : []); // the form takes the selection away
    field.focus();
    field.select();
  });
  docno.addEventListener("input", () => fill(null));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  details.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.target.matches("input, textarea, select")) close();
  });
  const button = form.querySelector("[data-close-find]");
  button.hidden = false;
  button.addEventListener("click", close);
}
