// Forms that a key opens: the first field gets the focus, Enter or Ctrl+Enter sends, Esc closes.
import { keepField } from "../bench/kept-words.js";
import { paintSpans } from "../bench/spans.js";
import { worded, written } from "../web/words.js";
/** `lacks(details)` says what one lacks to open a form, `list` which nugget is in hand: a form is about that one until it is closed. */
export function startForms(bench, { list = null, lacks = () => false, onOpen = () => {}, onClose = () => {} } = {}) {
  const begin = (details) => {
    speakOf(details.querySelector("form"), list.number);
    details.dataset.was = list.textOf(list.number);
  };
  const close = (details) => {
    details.open = false;
    onClose(details);
  };
  const open = (details) => {
    if (list) begin(details);
    details.open = true;
    onOpen(details);
    const field = details.querySelector("[data-freeze-now], textarea, input:not([type=hidden])");
    field?.focus();
    if (details.dataset.verb !== "edit") field?.select?.(); // what stands there is to be mended, not typed over
    else field.setSelectionRange(field.value.length, field.value.length);
    for (const each of [details, field]) each?.scrollIntoView({ block: "nearest" }); // its buttons, too, where there is room
  };
  // At once, not on the later "toggle" event: what is typed next must land in the field.
  bench.addEventListener("click", (event) => {
    const details = event.target.closest("summary")?.parentElement;
    if (!details?.matches("[data-verb], [data-freeze], [data-ask]")) return;
    event.preventDefault();
    if (details.open) close(details);
    else if (!lacks(details)) open(details);
  });
  bench.addEventListener("keydown", (event) => {
    const details = event.target.closest("details[open]:is([data-verb], [data-freeze], [data-ask])");
    if (!details) return;
    if (event.key === "Escape") {
      event.preventDefault();
      close(details);
    } else if (event.key === "Enter" && !event.isComposing && event.target.matches("textarea")
      && (event.ctrlKey || event.metaKey || (event.target.matches("[data-one-line]") && !event.shiftKey))) {
      event.preventDefault();
      event.target.form.requestSubmit();
    }
  });
  bench.addEventListener("click", (event) => {
    const button = event.target.closest("[data-close-form]");
    if (button) close(button.closest("details"));
  });
  return { close };
}

/** Make a form speak of the nugget with this number. */
export function speakOf(form, number) {
  for (const field of form.querySelectorAll("[name=number]")) field.value = number;
  for (const name of form.querySelectorAll("[data-number]")) name.textContent = number;
}

/** Whether what was written on a nugget is not sent yet, and said to be so: another window has changed the nugget. The same again is sent. */
export function isLate(details, { number }, { list, say, noun }) {
  const [was, now] = [details.dataset.was, list.textOf(number)];
  if (was === undefined || !number || !now || now === was) return false; // what is retired is refused
  details.dataset.was = now;
  say(worded("Not sent: {noun} {number} was changed in another window, and says “{text}” now. The same again is sent all the same.", { noun, number, text: written(now, details) }));
  return true;
}

/** The fields of a form, without the token and without the key of the page: each click gets a key of its own. */
export function fieldsOf(form, submitter) {
  const fields = Object.fromEntries(new FormData(form, submitter));
  delete fields.csrfmiddlewaretoken;
  delete fields.client_key;
  return fields;
}

/**
 * Put what is marked into the form for a new nugget: its words, in their language, and where they stand. What is typed there
 * already stays, with where its own words stand unless others are marked now; whether it does.
 */
export function fillSource(details, marked) {
  const { elements } = details.querySelector("form");
  const { text, quote, docno } = elements;
  const inOneLine = (words) => words.replace(/\s+/g, " ").trim().slice(0, text.maxLength);
  const isKept = text.value.trim() && (!marked || text.value !== inOneLine(quote.value));
  if (marked && !isKept) {
    const words = document.getSelection().anchorNode?.parentElement.closest("[data-words], [data-text]");
    const { lang } = words?.closest("[lang]") ?? {};
    paintSpans(words, [JSON.parse(marked.span)]); // the form takes the selection away
    text.toggleAttribute("lang", Boolean(lang));
    if (lang) text.lang = lang;
    text.value = inOneLine(marked.quote);
  }
  if (marked || !text.value.trim()) for (const name of ["item", "docno", "quote", "span"]) elements.namedItem(name).value = marked?.[name] ?? "";
  for (const name of ["text", "item", "docno", "quote", "span"]) keepField(elements.namedItem(name));
  const from = details.querySelector("[data-from]");
  from.hidden = !quote.value;
  from.textContent = quote.value ? worded("with its source: the words marked in {string}", { string: docno.value || worded("the string") }) : "";
  return isKept;
}

/** Open the form again with what the server refused, unless something else is typed there by now; whether it is there. */
export function putBack(bench, fields) {
  const details = bench.querySelector(`[data-verb="${CSS.escape(fields.do)}"]`);
  const text = details?.querySelector("form").elements.namedItem("text");
  if (!details || (details.open && text?.value.trim() && text.value !== fields.text)) return false;
  details.open = true;
  requestAnimationFrame(() => {
    const form = details.querySelector("form");
    if (fields.number) speakOf(form, fields.number);
    for (const [name, value] of Object.entries(fields)) {
      const field = form.elements.namedItem(name);
      if (!field || name === "client_key" || field.type === "checkbox") continue;
      field.value = value;
      keepField(field);
    }
    text?.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return true;
}

/** The group after this one, in the order of the choices. */
export function nextGroup(select, group) {
  const keys = [...select.options].map((option) => option.value).filter(Boolean);
  return keys[(keys.indexOf(group) + 1) % keys.length];
}

/** Whether what a key presses is about the list as it will be; a new nugget can be written at any time. */
export function isAboutList(element) {
  return Boolean(element?.matches("[data-list] *, [data-forms] *, [data-nugget-step]")) && !element.closest("[data-verb=add]");
}
