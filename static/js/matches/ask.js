// Asking the organiser about the string in hand.
import { fieldsOf, startForms } from "../writing/forms.js";

export function startAsking(bench, { strings, writer }) {
  const forms = startForms(bench, {
    onOpen(details) {
      details.querySelector("[name=item]").value = strings.current?.dataset.string ?? "";
      details.querySelector("[data-ask-about]").textContent = strings.current ? `about [${strings.current.dataset.letter}]` : "";
    },
    onClose: () => strings.current?.querySelector("[data-words]").focus({ preventScroll: true }),
  });
  bench.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-ask-form]")) return;
    event.preventDefault();
    writer.ask(fieldsOf(event.target));
    event.target.reset();
    forms.close(event.target.closest("details"));
  });
}
