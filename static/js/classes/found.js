// The form for an answer that the assessor found: the document that is open in the side panel is put in by itself.
import { toWork } from "../bench/to-work.js";

export function startFound({ bench, onAdd }) {
  const details = bench.querySelector("[data-found]");
  if (!details) return { refresh() {}, added() {} };
  const form = details.querySelector("[data-found-form]");
  const { text, docno, into } = form.elements;
  const panel = document.getElementById("side-panel");

  const takeDocument = () => {
    const bar = panel.open && panel.querySelector("[data-document]");
    if (bar && details.open) docno.value = bar.dataset.document;
  };
  const takeSelection = () => {
    const selection = getSelection();
    const words = selection.toString().trim();
    if (words && panel.querySelector("[data-text]")?.contains(selection.anchorNode)) text.value = words;
  };
  const close = () => {
    details.open = false;
    details.querySelector("summary").focus();
  };

  form.querySelector("[data-found-close]").hidden = false;
  form.querySelector("[data-found-close]").addEventListener("click", close);
  document.addEventListener("htmx:afterSwap", takeDocument);
  details.querySelector("summary").addEventListener("click", (event) => {
    if (details.open && details.contains(document.activeElement)) return; // a second click closes it
    event.preventDefault();
    details.open = true; // at once, so that what is typed next is text
    takeDocument();
    takeSelection();
    (text.value ? docno : text).focus();
  });
  details.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.target.matches("input, select")) close();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onAdd({ text: text.value, docno: docno.value, into: into.value });
  });

  return {
    /** The classes there are now, as the choices of the form. */
    refresh(views) {
      const before = into.value;
      const options = views.map((view) => new Option(`${view.dataset.number} ${view.dataset.label}`, view.dataset.class));
      into.replaceChildren(into.options[0], ...options);
      into.value = before;
      if (into.selectedIndex < 0) into.selectedIndex = 0;
    },
    /** The answer was taken: the form is empty and closed. */
    added() {
      form.reset();
      details.open = false;
      toWork();
    },
  };
}
