// Words that are typed and not sent yet: a question, a nugget, an answer that was found, a note that waits for its grade. They stay in this
// browser, and stand in their field again after the page was left, or another item was on the bench.
import { createKept } from "../web/kept.js";

const OF_NUGGET = "[data-verb=edit] textarea, [data-verb=split] textarea, [data-verb=accept-edited] textarea"; // whose words are there from the start
const FIELDS = `${OF_NUGGET}, [data-ask-form] textarea, [data-verb=add] textarea[name=text], #own-label, [data-found-form] :is([name=text], [name=docno])`;
const kept = createKept(document.body.dataset.person);
const aboutOf = ({ form: { elements } }, which) => elements.namedItem(which)?.value ?? "";
const nameOf = (field) => `${field.id} ${field.form.matches("[data-ask-form]") ? aboutOf(field, "item") : field.matches(OF_NUGGET) ? aboutOf(field, "number") || aboutOf(field, "draft") : ""}`;
const noteName = (item, criterion) => `note ${item} ${criterion}`;

function keep(name, text) {
  if ((kept.read(name) ?? "") === text) return;
  if (text) kept.keep(name, text);
  else kept.forget(name);
}

/** Keep what is typed in the forms of a bench until it is sent. */
export function keepWords(bench) {
  const change = ({ target }) => { if (target.matches(FIELDS)) keep(nameOf(target), target.value); };
  for (const sign of ["input", "change"]) bench.addEventListener(sign, change);
  bench.addEventListener("submit", ({ target }) => {
    for (const field of target.querySelectorAll(FIELDS)) keep(nameOf(field), "");
  }, { capture: true });
  for (const field of bench.querySelectorAll(FIELDS)) bringBack(field, field.value);
}

/** Put back what was typed about the item, or the nugget, of the field's form; else `words`. */
export function bringBack(field, words = "") {
  if (field) field.value = kept.read(nameOf(field)) ?? words;
}

/** A form was left without sending it: what a nugget should say instead is dropped. */
export function dropWords(form) {
  for (const field of form.querySelectorAll(OF_NUGGET)) keep(nameOf(field), "");
}

/** Keep what is typed in a field that asks for one name, under what the name is for; gives a function that forgets it, to be called once it was answered. */
export function keepAsked(field, about) {
  const name = `${field.id} ${about}`;
  field.value = kept.read(name) ?? field.value;
  const change = () => keep(name, field.value);
  field.addEventListener("input", change);
  return () => {
    field.removeEventListener("input", change);
    keep(name, "");
  };
}

/** The notes of the item with this number that were not sent, by question. */
export function keptNotes(item) {
  const start = noteName(item, "");
  return Object.fromEntries(kept.names().filter((name) => name.startsWith(start)).map((name) => [name.slice(start.length), kept.read(name)]));
}

/** Keep the notes of a line that are not sent, and no others. */
export function keepNotes({ id, unsent }) {
  for (const criterion of Object.keys({ ...keptNotes(id), ...unsent })) keep(noteName(id, criterion), unsent[criterion] ?? "");
}
