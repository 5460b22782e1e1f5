// The form of the grading bench: which question has the keys, what was answered, the note.
export function createForm(holder) {
  let active = "";
  let shown = null;

  const forms = () => [...holder.querySelectorAll("[data-criterion]")];
  const keyOf = (form) => form.dataset.criterion;
  const isOpen = (form, line) => line.values[keyOf(form)] === undefined;
  const activeForm = () => forms().find((form) => keyOf(form) === active) ?? forms()[0];

  const paint = (line) => {
    if (!line || line !== shown) return;
    for (const form of forms()) {
      const value = line.values[keyOf(form)];
      const isActive = keyOf(form) === active;
      form.toggleAttribute("data-active", isActive);
      if (isActive) form.setAttribute("aria-current", "true");
      else form.removeAttribute("aria-current");
      for (const button of form.querySelectorAll("[data-grade]")) {
        button.setAttribute("aria-pressed", String(Number(button.value) === value));
        if (isActive) button.dataset.key = button.dataset.gradeKey;
        else delete button.dataset.key;
      }
      const withdraw = form.querySelector("[data-withdraw]"); // missing where it was judged before the work came here
      if (withdraw) withdraw.hidden = value === undefined;
    }
    const note = holder.querySelector("[data-note]");
    if (note && document.activeElement !== note) note.value = line.unsent ?? line.note;
  };

  const activate = (key, line = shown) => {
    active = key;
    paint(line);
    if (forms().length > 1) activeForm()?.scrollIntoView({ block: "nearest" });
  };

  holder.addEventListener("focusin", (event) => {
    const form = event.target.closest("[data-criterion]");
    if (form && event.target.matches("button") && keyOf(form) !== active) activate(keyOf(form));
  });

  return {
    paint,
    activeForm,

    /** A line was put on the bench: its first open question gets the keys. */
    begin(line) {
      shown = line;
      active = "";
      const all = forms();
      const first = all.find((form) => isOpen(form, line)) ?? all[0];
      if (first) active = keyOf(first);
      const keys = holder.querySelector("[data-criterion-keys]");
      if (keys) keys.hidden = all.length < 2;
      paint(line);
    },

    step(by) {
      const all = forms();
      const next = all[all.indexOf(activeForm()) + by];
      if (next) activate(keyOf(next));
    },

    /** After an answer: the next question gets the keys. False where that was the last one. */
    goOn(line, criterion, wasJudged) {
      const all = forms();
      const at = all.findIndex((form) => keyOf(form) === criterion);
      const open = [...all.slice(at + 1), ...all.slice(0, at)].find((form) => isOpen(form, line));
      const next = open ?? (wasJudged ? all[at + 1] : null);
      if (!next) return false;
      activate(keyOf(next), line);
      return true;
    },

    note: () => holder.querySelector("[data-note]")?.value ?? "",
  };
}
