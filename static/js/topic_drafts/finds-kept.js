// An answer or a nugget that is being typed is kept in this browser until the site has it.
import { shortened } from "../bench/status-line.js";
import { isSame } from "../web/kept.js";
import { tell, worded, written } from "../web/words.js";

const NAMES = ["part", "text", "docno", "quote", "span"];

/** Keep what is typed into the forms for what is found, and put back what was kept; whether something was put back. */
export function keepFinds({ bench, kept }) {
  const keep = (details) => {
    const { elements } = details.querySelector("[data-find-form]");
    const values = Object.fromEntries(NAMES.map((name) => [name, elements[name].value]));
    if (values.text.trim()) kept.keep(details.dataset.find, { values, isOpen: details.open });
    else kept.forget(details.dataset.find);
  };
  const onTyped = (event) => {
    const details = event.target.closest("[data-find]");
    if (details) keep(details);
  };
  bench.addEventListener("input", onTyped);
  bench.addEventListener("toggle", (event) => {
    if (event.target.matches("[data-find]") && kept.read(event.target.dataset.find)) keep(event.target);
  }, { capture: true });
  return [...bench.querySelectorAll("[data-find]")].filter((details) => putBack(bench, details, kept)).length > 0;
}

function putBack(bench, details, kept) {
  const found = kept.read(details.dataset.find);
  if (!found) return false;
  const { values } = found;
  if (isThere(bench, details.dataset.find, values)) {
    kept.forget(details.dataset.find);
    return false;
  }
  const form = details.querySelector("[data-find-form]");
  for (const name of NAMES) {
    const field = form.elements[name];
    if (!field.matches("select") || [...field.options].some((option) => option.value === values[name])) field.value = values[name];
  }
  const from = form.querySelector("[data-find-from]");
  from.hidden = !values.quote;
  tell(from, values.quote && worded("From “{slice}”", { slice: written(shortened(values.quote, 90), bench.querySelector("[data-text]")) }));
  details.open = found.isOpen;
  return true;
}

// Whether the site has it: the same words from the same document.
function isThere(bench, kind, values) {
  return [...bench.querySelectorAll(`[data-found="${kind}"]`)].some((line) => line.dataset.docno === values.docno.trim()
    && line.dataset.part === values.part && isSame(line.querySelector("strong").textContent, values.text));
}
