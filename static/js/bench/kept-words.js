// Words that are typed and not sent yet: a question, a nugget, an answer that was found, a note that waits for its grade. They stay in this
// browser, and stand in their field again after the page was left, or another item was on the bench.
import { createKept } from "../web/kept.js";
import { worded, written } from "../web/words.js";

const OF_NUGGET = "[data-verb=edit] textarea, [data-verb=split] textarea, [data-verb=accept-edited] textarea"; // whose words are there from the start
const NEW = "[data-verb=add] :is([name=text], [name=group], [name=importance], [name=item], [name=docno], [name=quote], [name=span])"; // a new nugget, with where its words stand
const FIELDS = `${OF_NUGGET}, ${NEW}, [data-ask-form] textarea, #own-label, [data-found-form] :is([name=text], [name=docno])`;
const kept = createKept(document.body.dataset.person);
const aboutOf = ({ form: { elements } }, which) => elements.namedItem(which)?.value ?? "";
const nameOf = (field) => `${field.id || field.name} ${field.form.matches("[data-ask-form]") ? aboutOf(field, "item") : field.matches(OF_NUGGET) ? aboutOf(field, "number") || aboutOf(field, "draft") : ""}`;
const noteName = (item, criterion) => `note ${item} ${criterion}`;
const isBox = (field) => field.type === "checkbox";
const wordsOf = (field) => (isBox(field) && !field.checked ? "" : field.value);

function keep(name, text) {
  if ((kept.read(name) ?? "") === text) return;
  if (text) kept.keep(name, text);
  else kept.forget(name);
}

/** Keep what is typed in the forms of a bench until it is sent. */
export function keepWords(bench, say) {
  const change = ({ target }) => keepField(target);
  for (const sign of ["input", "change"]) bench.addEventListener(sign, change);
  bench.addEventListener("submit", ({ target }) => {
    for (const field of target.querySelectorAll(FIELDS)) kept.send(nameOf(field), wordsOf(field));
  }, { capture: true });
  for (const field of bench.querySelectorAll(FIELDS)) bringBack(field, field.value);
  kept.onSent((part, words) => {
    const field = [...bench.querySelectorAll(FIELDS)].find((each) => nameOf(each) === part);
    if (!field?.matches("textarea, input:not([type=checkbox], [type=hidden])")) return;
    if (!field.matches(OF_NUGGET)) field.value = "";
    say(worded("What was begun here was sent in another window: “{words}”", { words: written(words, field) }));
  });
}

/** Keep what stands in a field, if it is one of these: also where a script wrote it. */
export function keepField(field) {
  if (field.matches(FIELDS)) keep(nameOf(field), wordsOf(field));
}

/** Put back what was typed about the item, or the nugget, of the field's form; else `words`. */
export function bringBack(field, words = "") {
  if (field && isBox(field)) field.checked = kept.read(nameOf(field)) !== null;
  else if (field) field.value = kept.read(nameOf(field)) ?? words;
}

/** A form was left without sending it: what a nugget should say instead is dropped. */
export function dropWords(form) {
  for (const field of form.querySelectorAll(OF_NUGGET)) keep(nameOf(field), "");
}

/** Keep what is typed in a field that asks for one name, under what the name is for; gives a function that forgets it, to be called once it was answered, and says whether it is sent. */
export function keepAsked(field, about) {
  const name = `${field.id} ${about}`;
  field.value = kept.read(name) ?? field.value;
  const change = () => keep(name, field.value);
  field.addEventListener("input", change);
  return (isSent) => {
    field.removeEventListener("input", change);
    if (isSent) kept.send(name, field.value);
    else keep(name, "");
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
