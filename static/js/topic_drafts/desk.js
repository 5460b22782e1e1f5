// What the organiser writes of a draft, and has not sent back yet, waits in this browser past a closed tab.
import { createKept } from "../web/kept.js";

const kept = createKept(document.body.dataset.person);
const fields = [...document.querySelectorAll("textarea[name=word]")];

// A draft that is not among them any more went back, was accepted or was dropped.
for (const id of kept.names()) if (!fields.some((field) => field.id === id)) kept.forget(id);
for (const field of fields) {
  const typed = kept.read(field.id);
  if (typed) {
    field.value = typed;
    field.parentElement.querySelector("[data-word-back]").hidden = false;
  }
  field.addEventListener("input", () => {
    if (field.value.trim()) kept.keep(field.id, field.value);
    else kept.forget(field.id);
  });
}
