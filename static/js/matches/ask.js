// Asking the organiser about the string in hand.
import { onAsk } from "../bench/bench.js";
import { bringBack } from "../bench/kept-words.js";
import { fieldsOf, startForms } from "../writing/forms.js";
import { worded } from "../web/words.js";

export function startAsking(bench, { strings, writer }) {
  const forms = startForms(bench, {
    onOpen(details) {
      details.querySelector("[name=item]").value = strings.current?.dataset.string ?? "";
      bringBack(details.querySelector("textarea"));
      details.querySelector("[data-ask-about]").textContent = strings.current ? worded("about [{letter}]", { letter: strings.current.dataset.letter }) : "";
    },
    onClose: () => strings.current?.querySelector("[data-words]").focus({ preventScroll: true }),
  });
  onAsk(bench, (form) => {
    writer.ask(fieldsOf(form));
    form.reset();
    forms.close(form.closest("details"));
  });
}
