// The form of the grading bench: which questions are asked, which has the keys, what was answered, the notes.
import { askedKeys, readAsks } from "./asked.js";
import { showGiven } from "./given.js";
import { bringBack } from "./kept-words.js";
import { putNoteAway, putSnippetsAway, refuses } from "./put-away.js";
import { shortened } from "./status-line.js";
import { worded } from "../web/words.js";

export function createForm(holder) {
  let active = "";
  let shown = null;

  const bench = holder.closest(".workbench");
  const asks = readAsks(bench);
  const every = () => [...holder.querySelectorAll("[data-criterion]")];
  const isAsked = (form, line) => !asks || !line || askedKeys(asks, line.values).includes(keyOf(form));
  const forms = (line = shown) => every().filter((form) => isAsked(form, line));
  const formOf = (criterion) => every().find((form) => keyOf(form) === criterion);
  const ownNote = (criterion) => formOf(criterion)?.querySelector("[data-own-note]");
  const commonNote = () => holder.querySelector("[data-note]:not([data-own-note])");
  const noteOf = (line, criterion) => line.unsent[criterion] ?? (criterion === keyOf(every()[0]) ? line.note : line.notes[criterion] ?? "");
  const keyOf = (form) => form.dataset.criterion;
  const isOpen = (form, line) => line.values[keyOf(form)] === undefined;
  const buttonOf = (form, value) => [...form.querySelectorAll("[data-grade]")].find((each) => each.value === String(value));
  const inHand = (form, line) => buttonOf(form, line.wanted?.criterion === keyOf(form) ? line.wanted.value : line.values[keyOf(form)]);
  const activeForm = () => forms().find((form) => keyOf(form) === active) ?? forms()[0];

  const paint = (line) => {
    if (!line || line !== shown) return;
    const keys = holder.querySelector("[data-criterion-keys]");
    if (keys) keys.hidden = forms(line).length < 2; // a question that an answer brings makes two of one
    active = activeForm()?.dataset.criterion ?? ""; // a refused answer may have taken the question away that had the keys
    for (const form of every()) {
      form.hidden = !isAsked(form, line);
      const value = line.values[keyOf(form)];
      const isActive = keyOf(form) === active;
      form.toggleAttribute("data-active", isActive);
      if (isActive) form.setAttribute("aria-current", "true");
      else form.removeAttribute("aria-current");
      for (const button of form.querySelectorAll("[data-grade]")) {
        button.setAttribute("aria-pressed", String(button.value === String(value)));
        button.toggleAttribute("data-wanted", line.wanted?.criterion === keyOf(form) && String(line.wanted.value) === button.value);
      }
      for (const element of form.querySelectorAll("[data-grade-key]")) {
        if (isActive) element.dataset.key = element.dataset.gradeKey;
        else delete element.dataset.key;
      }
      showGiven(form, value, line.unkept?.[keyOf(form)]);
      const withdraw = form.querySelector("[data-withdraw]"); // missing where it was judged before the work came here
      if (withdraw) withdraw.hidden = value === undefined;
      const own = form.querySelector("[data-own-note]");
      if (own && isActive) own.dataset.key = "t";
      else if (own) delete own.dataset.key;
      if (own && document.activeElement !== own) own.value = noteOf(line, keyOf(form));
      if (own) putNoteAway(own, [inHand(form, line)]);
      const box = form.querySelector("[data-evidence-box]");
      if (box) putSnippetsAway(box, inHand(form, line), line.evidence?.[keyOf(form)]);
    }
    const note = commonNote();
    if (note && document.activeElement !== note) note.value = noteOf(line, keyOf(every()[0]));
    if (note) putNoteAway(note, forms(line).map((form) => inHand(form, line)));
  };

  const activate = (key, line = shown) => {
    active = key;
    paint(line);
    if (forms().length > 1) for (const each of [activeForm(), activeForm()?.querySelector(".grades")]) each?.scrollIntoView({ block: "nearest" }); // in small windows a form has no box
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
      bringBack(holder.querySelector("[data-ask-form] textarea"));
      line.wanted = null;
      active = "";
      const all = forms(line);
      const first = all.find((form) => isOpen(form, line)) ?? all[0];
      if (first) active = keyOf(first);
      paint(line);
    },

    /** To the question before or after; what is asked now, or that there is none. */
    step(by) {
      const all = forms();
      const next = all[all.indexOf(activeForm()) + by];
      if (!next) return by > 0 ? worded("This is the last question.") : worded("This is the first question.");
      activate(keyOf(next));
      return this.asked();
    },

    /** Why nothing can be given here: the work is done, or closed. "" where it can. */
    whyNot: () => holder.querySelector(".bench-form[data-why-not]")?.dataset.whyNot ?? "",
    asked: () => shortened(activeForm()?.querySelector("legend")?.textContent ?? "", 80),

    /** After an answer: the next question gets the keys. False where that was the last one. */
    goOn(line, criterion, wasJudged) {
      const all = forms(line);
      const at = all.findIndex((form) => keyOf(form) === criterion);
      const open = [...all.slice(at + 1), ...all.slice(0, at)].find((form) => isOpen(form, line));
      const next = open ?? (wasJudged ? all[at + 1] : null);
      if (!next) return false;
      activate(keyOf(next), line);
      return true;
    },

    /** What is kept of what stands in a field for notes. */
    noteOf: (line, field) => ("ownNote" in field.dataset ? noteOf({ ...line, unsent: {} }, keyOf(field.form)) : line.note),

    /** Whether the grade that was given takes no note. */
    refusesNote: (line, criterion) => refuses(buttonOf(formOf(criterion), line.values[criterion]), "note"),

    /** To the field of an answer without a grade. */
    toGiven: (criterion) => formOf(criterion)?.querySelector("[name=given_text], [name=given_number]")?.focus(),

    hasOwnNote: (criterion) => Boolean(ownNote(criterion)),

    /** What goes with an answer to a question: what is written by it, else what is written of the item. */
    note: (criterion) => (ownNote(criterion) ?? commonNote())?.value ?? "",

    /** Why an answer can't be given yet, as a sentence: what its grade needs beside it; "" where nothing lacks. */
    lackOf(line, criterion, value) {
      const form = formOf(criterion);
      const button = buttonOf(form, value);
      const needs = (button?.dataset.needs ?? "").split(" ");
      const lacks = [
        needs.includes("note") && !this.note(criterion).trim() && worded("a note ({commonNote})", { commonNote: capOf(ownNote(criterion) ?? commonNote()) }),
        needs.includes("evidence") && !line.evidence[criterion]?.length && worded("a snippet of the text"),
      ].filter(Boolean);
      return lacks.length ? worded("“{grade}” needs {and}. It is given as soon as that is there.", { grade: button.dataset.grade, and: lacks.join(worded(" and ")) }) : "";
    },
  };
}

// The key of a field, as its label shows it.
function capOf(field) {
  return field?.labels?.[0]?.querySelector("kbd")?.textContent ?? "t";
}
