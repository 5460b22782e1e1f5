// The bench for writing a nugget list. The server answers every change with the list as it is now; until then
// what was asked for is shown as waiting.
import { onAsk, openBench } from "../bench/bench.js";
import { onClicks } from "../bench/clicks.js";
import { createEdits } from "../bench/edits.js";
import { bringBack, dropWords } from "../bench/kept-words.js";
import { paintSpans } from "../bench/spans.js";
import { quoteOf } from "../bench/status-line.js";
import { startStrings } from "../bench/strings.js";
import { startDocuments } from "./documents.js";
import { startDrafts } from "./drafts.js";
import { fieldsOf, fillSource, isAboutList, isLate, nextGroup, putBack, startForms } from "./forms.js";
import { startLike } from "./like.js";
import { startList } from "./list.js";
import { createStringWindow } from "./string-window.js";
import { tell, worded } from "../web/words.js";

const TAKES_HAND = new Set(["add", "merge", "split", "accept", "accept-edited"]); // what these leave on the list comes into the hand
const ADDS = new Set(["add", "add-source"]); // overwrite nothing

const frame = openBench({
  onAnswer(entry, json) {
    if (!edits.isEdit(entry)) {
      if (entry.url === `${base}ask/`) say(worded("Asked. The organiser will answer."));
      return;
    }
    if (json.reload) return void location.assign(json.address ?? base);
    list.settle(entry);
    bench.dataset.edits = json.edits;
    list.show(json.html, json.number, TAKES_HAND.has(entry.fields.do));
    say(json.said);
    paintDrafts(); // before keys that waited for it
    edits.goOn();
  },
  onRefused(entry) {
    list.settle(entry);
    const isBack = edits.isEdit(entry) && putBack(bench, entry.fields);
    edits.goOn();
    return { isBack };
  },
});
const { bench, say, outbox } = frame;
const { base, edit, noun } = bench.dataset;
const edits = createEdits(frame);
const list = startList(bench, edits, say);
const strings = startStrings(bench);
const stringWindow = createStringWindow(frame, strings);

const forms = startForms(bench, { list,
  lacks(details) {
    const isAbsent = !list.number && details.matches("[data-verb=edit], [data-verb=split], [data-verb=merge], [data-freeze]");
    if (isAbsent) say(worded("There is no {noun} yet: write one first (n).", { noun }));
    return isAbsent;
  },
  onOpen(details) {
    if (details.matches("[data-verb=add]")) {
      const isKept = fillSource(details, strings.marked);
      const group = details.querySelector("[data-new-group]");
      if (group && list.group && !isKept) group.value = list.group;
      like.look();
    }
    if (details.matches("[data-verb=edit], [data-verb=split]")) bringBack(details.querySelector("textarea"), list.textOf(list.number));
    if (details.matches("[data-ask]")) {
      details.querySelector("[name=item]").value = strings.current?.dataset.string ?? "";
      bringBack(details.querySelector("textarea"));
      tell(details.querySelector("[data-ask-about]"), strings.current && worded("about “{slice}”", { slice: quoteOf(strings.current.querySelector("[data-words]"), 60) }));
    }
  },
  onClose(details) {
    paintSpans(null, []);
    backToWork(dropWords(details));
  },
});
const like = startLike(bench, { list, forms, strings, send, say });

function backToWork() {
  const words = (strings.current ?? strings.opened).querySelector("[data-words], [data-text]");
  if (words) words.focus({ preventScroll: true });
  else list.focus();
}

function send(fields) {
  list.expect(frame.send(edit, ADDS.has(fields.do) ? fields : { ...fields, shown: edits.count() }));
}

onAsk(bench, (form) => {
  frame.send(`${base}ask/`, fieldsOf(form));
  form.reset();
  forms.close(form.closest("details"));
});

bench.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-edit-form]")) return;
  event.preventDefault();
  const fields = fieldsOf(form, event.submitter);
  if (event.submitter?.matches("[data-next-group]")) fields.group = nextGroup(form.querySelector("[data-groups]"), list.group);
  if ("number" in fields && !fields.number) return void say(worded("There is no {noun} yet: write one first (n).", { noun }));
  if (fields.do === "freeze" && outbox.waiting) return void say(worded("Wait until everything is saved, then freeze the list."));
  const details = form.closest("[data-verb], [data-freeze]");
  if (details && isLate(details, fields, { list, say, noun })) return;
  send(fields);
  if (fields.quote) strings.forgetMarked();
  if (!details) return;
  if (form.matches("[data-clears]")) form.reset();
  forms.close(details);
});

onClicks(bench, [
  ["[data-move]", (button) => move(Number(button.dataset.move))],
  ["[data-add-source]", addSource],
  ["[data-string-step]", (button) => {
    const by = Number(button.dataset.stringStep);
    if (!strings.current && by < Infinity) strings.select(strings.all()[0]);
    else if (!strings.step(by)) return void stringWindow.turn(by);
    say(strings.place());
  }],
]);

function move(by) {
  const place = list.number ? list.placeBeside(by) : null;
  if (place !== null) send({ do: "move", number: list.number, place });
}

function addSource() {
  if (!list.number) say(worded("There is no {noun} yet: write one first (n).", { noun }));
  else if (!strings.marked) say(worded("Mark the words in a {unit} or in a document's text first.", { unit: bench.dataset.unit }));
  else {
    send({ do: "add-source", number: list.number, ...strings.marked });
    strings.forgetMarked();
  }
}

bench.querySelector("[data-groups]")?.addEventListener("change", (event) => event.target.form.requestSubmit());
startDocuments(bench, {
  strings, say, afterTaking: () => say(list.number ? worded("Marked. Press n for a new {noun} with it, a to add it to {noun} {number}.", { noun, number: list.number }) : worded("Marked. Press n for a new {noun} with it.", { noun })),
});
const paintDrafts = startDrafts(bench, { say });
edits.hold(isAboutList);
frame.start({
  take: list.takeOver,
  shows: "[data-nugget-step], [data-string-step], [data-words-key], [data-whole-string], [data-document-key], [data-editable] :is([data-move], [data-add-source])",
});
if (document.activeElement === document.body) { // what is read first is in hand
  strings.select(strings.all()[0]);
  if (!strings.current) bench.querySelector("[data-strings]:not([hidden]) .thing-label, [data-open-topic-document]")?.focus({ preventScroll: true });
}
stringWindow.arrive();
