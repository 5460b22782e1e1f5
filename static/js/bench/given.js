// The fields of an answer without a grade: a text, a number, several of what is offered, an order of it.
import { typedNumber, writtenNumber } from "../web/numbers.js";
import { worded } from "../web/words.js";
const answerOf = (form) => form.querySelector("[data-given-answer]")?.dataset.givenAnswer;
const fieldsOf = (form) => [...form.querySelectorAll("[name^=given_]")];

/** What stands in the fields, as it is sent; "" where nothing does. */
export function givenIn(form) {
  const answer = answerOf(form);
  if (answer === "several") {
    const several = fieldsOf(form).filter((each) => each.checked).map((each) => Number(each.value)).sort((a, b) => a - b);
    return JSON.stringify({ several });
  }
  if (answer === "rank") {
    const rank = ordered(form).map((each) => Number(each.value));
    return rank.length ? JSON.stringify({ rank }) : "";
  }
  const text = fieldsOf(form)[0].value;
  if (!text.trim()) return "";
  return JSON.stringify(answer === "number" ? { number: typedNumber(text).number } : { text });
}

/** A text or a number as it was typed, right or not; null where nothing is typed. */
export function typedIn(form) {
  const answer = answerOf(form);
  const [{ value }] = fieldsOf(form);
  return answer === "text" || answer === "number" ? { [answer]: value } : null;
}

/** Why what is chosen is too much, or once it is to be kept too little or no number; "" where it is neither. */
export function outOfBounds(form, isKept) {
  const [{ value }] = answerOf(form) === "number" ? fieldsOf(form) : [{ value: "" }];
  if (value.trim()) return typedNumber(value).problem ?? "";
  const { least = 0, most = Infinity, words = Infinity } = form.querySelector("[data-given-answer]").dataset;
  if (wordsIn(form) > Number(words)) return worded("{number} words; {words} are allowed. Shorten it.", { number: wordsIn(form), words });
  const chosen = fieldsOf(form).filter((each) => each.checked).length;
  if (chosen > Number(most)) return worded("at most {most} may be chosen. Take one out first.", { most });
  return isKept && chosen < Number(least) ? worded("choose {least} at least: {chosen} chosen.", { least, chosen }) : "";
}

/** The options that have a place, in their order. */
const ordered = (form) => fieldsOf(form).filter((each) => each.dataset.at).sort((a, b) => a.dataset.at - b.dataset.at);

/** Put an option behind those that have a place, or take its place away, so that the others move up. */
export function place(field) {
  const { form } = field;
  const others = ordered(form).filter((each) => each !== field);
  field.dataset.at = "";
  (field.checked ? [...others, field] : others).forEach((each, at) => { each.dataset.at = at + 1; });
  showPlaces(form);
}

/** What is chosen now, in its order where it has one. */
export function chosenSaid(form) {
  const chosen = answerOf(form) === "rank" ? ordered(form) : fieldsOf(form).filter((each) => each.checked);
  return chosen.map(({ dataset }) => (dataset.at ? `${dataset.at}: ${dataset.option}` : dataset.option)).join(", ") || worded("none of them");
}

function showPlaces(form) {
  for (const each of form.querySelectorAll("[data-place]")) {
    const { at } = each.parentElement.querySelector("input").dataset;
    each.textContent = at ? worded("· place {at}", { at }) : "";
  }
}

const wordsIn = (form) => (answerOf(form) === "text" ? fieldsOf(form)[0].value.split(/\s+/).filter(Boolean).length : 0);

/** How many words there are of those allowed, and that what is being typed is not what is kept. */
export function showTyping(form) {
  const { words } = form.querySelector("[data-given-answer]").dataset;
  form.querySelector("[value=given]").setAttribute("aria-pressed", "false");
  if (words) form.querySelector("[data-words-typed]").textContent = worded("{number} of {words} words", { number: wordsIn(form), words });
}

/** Show an answer in the fields, unless somebody is typing there; `unkept` is what was typed and not taken, and `why`. */
export function showGiven(form, value, unkept) {
  const answer = answerOf(form);
  if (!answer) return;
  const given = unkept?.given ?? (String(value ?? "").startsWith("{") ? JSON.parse(value) : {});
  const why = form.querySelector("[data-not-taken]");
  [why.hidden, why.textContent] = [!unkept, unkept?.why ?? ""];
  for (const field of fieldsOf(form)) field.ariaInvalid = unkept ? "true" : null;
  for (const field of fieldsOf(form)) {
    if (answer === "rank") {
      if (given.rank) field.dataset.at = given.rank.indexOf(Number(field.value)) + 1 || "";
      field.checked = Boolean(field.dataset.at);
    } else if (answer === "several") {
      if (given.several) field.checked = given.several.includes(Number(field.value));
    } else if (document.activeElement !== field) field.value = typeof given.number === "number" ? writtenNumber(given.number) : given[answer] ?? "";
  }
  if (answer === "text" && !fieldsOf(form).includes(document.activeElement)) showTyping(form);
  form.querySelector("[value=given]").setAttribute("aria-pressed", String(!unkept && given[answer] !== undefined));
  if (answer === "rank") showPlaces(form);
}
