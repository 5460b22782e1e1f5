// Forms that a key opens: the first field gets the focus, Enter or Ctrl+Enter sends, Esc closes.
export function startForms(bench, { onOpen = () => {}, onClose = () => {} } = {}) {
  const close = (details) => {
    details.open = false;
    onClose(details);
  };
  const open = (details) => {
    details.open = true;
    onOpen(details);
    const field = details.querySelector("[data-freeze-now], textarea, input:not([type=hidden])");
    field?.focus();
    field?.select?.();
    field?.scrollIntoView({ block: "nearest" });
  };
  // At once, not on the later "toggle" event: what is typed next must land in the field.
  bench.addEventListener("click", (event) => {
    const details = event.target.closest("summary")?.parentElement;
    if (!details?.matches("[data-verb], [data-freeze], [data-ask]")) return;
    event.preventDefault();
    if (details.open) close(details);
    else open(details);
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

/** The fields of a form, without the token and without the key of the page: each click gets a key of its own. */
export function fieldsOf(form, submitter) {
  const fields = Object.fromEntries(new FormData(form, submitter));
  delete fields.csrfmiddlewaretoken;
  delete fields.client_key;
  return fields;
}
