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

/** Why what is chosen is too much, or once it is to be kept too little or no number; "" where it is neither. */
export function outOfBounds(form, isKept) {
  const [{ value }] = answerOf(form) === "number" ? fieldsOf(form) : [{ value: "" }];
  if (value.trim()) return typedNumber(value).problem ?? "";
  const { least = 0, most = Infinity } = form.querySelector("[data-given-answer]").dataset;
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

/** Show an answer in the fields, unless somebody is typing there. */
export function showGiven(form, value) {
  const answer = answerOf(form);
  if (!answer) return;
  const given = String(value ?? "").startsWith("{") ? JSON.parse(value) : {};
  form.querySelector("[value=given]").setAttribute("aria-pressed", String(Boolean(given[answer])));
  for (const field of fieldsOf(form)) {
    if (answer === "rank") {
      if (given.rank) field.dataset.at = given.rank.indexOf(Number(field.value)) + 1 || "";
      field.checked = Boolean(field.dataset.at);
    } else if (answer === "several") {
      if (given.several) field.checked = given.several.includes(Number(field.value));
    } else if (document.activeElement !== field) field.value = answer === "number" ? writtenNumber(given.number ?? "") : given[answer] ?? "";
  }
  if (answer === "rank") showPlaces(form);
}
