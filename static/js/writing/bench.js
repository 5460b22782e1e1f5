// The bench for writing a nugget list. The server answers every change with the list as it is now; until then
// what was asked for is shown as waiting.
import { createFinish } from "../bench/finish.js";
import { fieldsOf, fillSource, isAboutList, nextGroup, putBack, startForms } from "./forms.js";
import { startList } from "./list.js";
import { startStrings } from "../bench/strings.js";
import { startContext } from "../bench/context.js";
import { startDocuments } from "./documents.js";
import { startFresh } from "../bench/fresh.js";
import { holdKeys } from "../bench/held-keys.js";
import { keepKeys, startMarks } from "../bench/marks.js";
import { createOutbox } from "../bench/outbox.js";
import { startPanel } from "../bench/panel.js";

const bench = document.querySelector("[data-nuggets-bench]");
const { base, edit, noun } = bench.dataset;
const TAKES_HAND = new Set(["add", "merge", "split"]); // what these leave on the list comes into the hand
const ADDS = new Set(["add", "add-source"]); // overwrite nothing
const list = startList(bench);
const strings = startStrings(bench);
const say = (text) => { bench.querySelector("[data-did]").textContent = text; };

const outbox = createOutbox({
  person: document.body.dataset.person,
  status: bench.querySelector("[data-save-status]"),
  onAnswer(entry, json) {
    if (entry.url !== edit) {
      if (entry.url === `${base}ask/`) say("Asked. The organiser will answer.");
      return;
    }
    if (json.reload) {
      location.assign(json.address ?? base);
      return;
    }
    list.settle(entry);
    bench.dataset.edits = json.edits;
    list.show(json.html, json.number, TAKES_HAND.has(entry.fields.do));
    say(json.said);
    goOn();
  },
  onRefused(entry, json) {
    list.settle(entry);
    say(`Not saved: ${json.detail}`);
    if (entry.url === edit) putBack(bench, entry.fields);
    goOn();
  },
});

createFinish({ bench, outbox, say });

const forms = startForms(bench, {
  onOpen(details) {
    if (details.matches("[data-verb=add]")) {
      fillSource(details, strings.marked);
      const group = details.querySelector("[data-new-group]");
      if (group && list.group) group.value = list.group;
    }
    if (details.matches("[data-verb=edit]")) details.querySelector("textarea").value = list.textOf(list.number);
    if (details.matches("[data-verb=split]")) details.querySelector("textarea").value = list.textOf(list.number);
    if (details.matches("[data-ask]")) {
      const words = strings.current?.querySelector("[data-words]").textContent ?? "";
      details.querySelector("[name=item]").value = strings.current?.dataset.string ?? "";
      details.querySelector("[data-ask-about]").textContent = words ? `about “${words.slice(0, 60)}”` : "";
    }
  },
  onClose: () => backToWork(),
});

function backToWork() {
  const words = strings.current?.querySelector("[data-words]");
  if (words) words.focus({ preventScroll: true });
  else list.focus();
}

function send(fields) {
  const shown = Number(bench.dataset.edits) + outbox.waitingFor(edit); // those on their way come before it
  list.expect(outbox.send({ url: edit, fields: ADDS.has(fields.do) ? fields : { ...fields, shown } }));
}


bench.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("[data-ask-form]")) {
    event.preventDefault();
    outbox.send({ url: `${base}ask/`, fields: fieldsOf(form) });
    form.reset();
    forms.close(form.closest("details"));
  }
  if (!form.matches("[data-edit-form]")) return;
  event.preventDefault();
  const fields = fieldsOf(form, event.submitter);
  if (event.submitter?.matches("[data-next-group]")) fields.group = nextGroup(form.querySelector("[data-groups]"), list.group);
  if ("number" in fields && !fields.number) {
    say(`There is no ${noun} yet: write one first (n).`);
    return;
  }
  if (fields.do === "freeze" && outbox.waiting) {
    say("Wait until everything is saved, then freeze the list.");
    return;
  }
  send(fields);
  if (fields.quote) strings.forgetMarked();
  const details = form.closest("[data-verb], [data-freeze]");
  if (!details) return;
  if (form.matches("[data-clears]")) form.reset();
  forms.close(details);
});

bench.addEventListener("click", (event) => {
  const move = event.target.closest("[data-move]");
  if (move && list.number) {
    const place = list.placeBeside(Number(move.dataset.move));
    if (place !== null) send({ do: "move", number: list.number, place });
  }
  if (event.target.closest("[data-add-source]")) addSource();
  const step = event.target.closest("[data-string-step]");
  if (step) {
    if (strings.current) strings.step(Number(step.dataset.stringStep));
    else strings.select(strings.all()[0]);
  }
});

function addSource() {
  if (!list.number) say(`There is no ${noun} yet: write one first (n).`);
  else if (!strings.marked) say("Mark the words in a string or in a document's text first.");
  else {
    send({ do: "add-source", number: list.number, ...strings.marked });
    strings.forgetMarked();
  }
}

bench.querySelector("[data-groups]")?.addEventListener("change", (event) => event.target.form.requestSubmit());
startDocuments(bench, {
  strings,
  say,
  afterTaking: () => say(`Marked. Press n for a new ${noun} with it${list.number ? `, a to add it to ${noun} ${list.number}` : ""}.`),
});
startContext();
for (const part of bench.querySelectorAll("[data-nugget-step], [data-string-step], [data-words-key], [data-document-key]")) part.hidden = false;
if (bench.dataset.editable !== undefined) {
  for (const part of bench.querySelectorAll("[data-move], [data-add-source]")) part.hidden = false;
}
startFresh({ bench, outbox, say, take: list.takeOver });
const goOn = holdKeys({ isBusy: () => outbox.waitingFor(edit) > 0, waits: isAboutList, say });
startMarks();
keepKeys();
startPanel();
