// The bench on which somebody practises: keys and buttons answer question by question, and the whole goes as one form.
import { valueOf } from "../bench/asked.js";
import { findBench, startTools } from "../bench/bench.js";
import { createForm } from "../bench/form.js";
import { waitForPage } from "../bench/page-to-come.js";
import { addAloud } from "../bench/status-line.js";
import { createEvidence } from "./evidence.js";

const HEARD_MS = 500; // after the page: what is there when it comes is not announced
const { bench, say } = findBench();
const holder = bench.querySelector("[data-bench-item]");
const answer = document.querySelector("[data-practice-answer]");
const line = { values: {}, notes: {}, evidence: {}, note: "", unsent: {}, wanted: null };
const form = createForm(holder);
const evidence = createEvidence({
  holder, form, say,
  onChange(of, criterion, snippets) {
    of.evidence[criterion] = snippets;
    evidence.paint(of);
    return giveWanted();
  },
  showText() { location.search = "?view=text"; },
});

function give(criterion, value) {
  line.wanted = null;
  line.values[criterion] = value;
  form.paint(line);
  if (form.goOn(line, criterion, false)) return;
  for (const [key, said] of Object.entries(line.values)) {
    for (const choice of answer.querySelectorAll(`[name="${CSS.escape(key)}"]`)) choice.checked = choice.value === String(said);
  }
  answer.requestSubmit();
}

/** What waited for a note or a snippet is given where these are there now; whether something was. */
function giveWanted() {
  if (!line.wanted || form.lackOf(line, line.wanted.criterion, line.wanted.value)) return false;
  give(line.wanted.criterion, line.wanted.value);
  return true;
}

bench.addEventListener("submit", (event) => { if (event.target.closest("[data-criterion]")) event.preventDefault(); });
bench.addEventListener("click", ({ target }) => {
  const button = target.closest("button[name=value]");
  const step = target.closest("[data-criterion-step]");
  if (step) form.step(Number(step.dataset.criterionStep));
  if (!button) return;
  const { criterion } = button.closest("[data-criterion]").dataset;
  const value = valueOf(button.value);
  const lack = form.lackOf(line, criterion, value);
  if (!lack) return void give(criterion, value);
  line.wanted = { criterion, value };
  form.paint(line);
  say(lack);
  button.closest("[data-criterion]").querySelector("[data-evidence-keys]")?.scrollIntoView({ block: "nearest" });
});
bench.addEventListener("change", ({ target }) => {
  if (!target.matches("[data-note]")) return;
  if ("ownNote" in target.dataset) line.notes[target.form.dataset.criterion] = target.value;
  else line.note = target.value;
  giveWanted();
});

// The word back stands above the bench. What is there when a page comes is not announced, so it is said once more, in sight
// where the window is low and the document needs the room.
function tell(notices) {
  const told = notices.map((each) => each.textContent.replace(/\s+/g, " ").trim()).join(" ");
  const isLow = matchMedia("(max-height: 29.99rem)").matches;
  for (const each of notices) each.hidden = isLow;
  if (told) setTimeout(() => (isLow ? say(told) : addAloud(told)), HEARD_MS);
}

startTools();
waitForPage(say);
tell([...document.querySelectorAll("[data-practice-told]")].reverse()); // whether a try is left comes first
if (answer) { // else an item is shown again that was answered wrongly
  answer.hidden = true;
  form.begin(line);
  evidence.begin(line);
}
holder.querySelector("[data-answer]")?.focus({ preventScroll: true });
