// The fields of an answer without a grade: a text, a number, several of what is offered.
const answerOf = (form) => form.querySelector("[data-given-answer]")?.dataset.givenAnswer;
const fieldsOf = (form) => [...form.querySelectorAll("[name^=given_]")];

/** What stands in the fields, as it is sent; "" where nothing does. */
export function givenIn(form) {
  const answer = answerOf(form);
  if (answer === "several") {
    const several = fieldsOf(form).filter((each) => each.checked).map((each) => Number(each.value)).sort((a, b) => a - b);
    return JSON.stringify({ several });
  }
  const text = fieldsOf(form)[0].value;
  if (!text.trim()) return "";
  return JSON.stringify(answer === "number" ? { number: Number(text) } : { text });
}

/** Show an answer in the fields, unless somebody is typing there. */
export function showGiven(form, value) {
  const answer = answerOf(form);
  if (!answer) return;
  const given = String(value ?? "").startsWith("{") ? JSON.parse(value) : {};
  form.querySelector("[value=given]").setAttribute("aria-pressed", String(Boolean(given[answer])));
  for (const field of fieldsOf(form)) {
    if (answer === "several") {
      if (given.several) field.checked = given.several.includes(Number(field.value));
    } else if (document.activeElement !== field) field.value = given[answer] ?? "";
  }
}
