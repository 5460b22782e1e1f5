// The adjudication bench: a key decides, the list moves on. It is made of the grading bench's parts.
import { startContext } from "../bench/context.js";
import { startFresh } from "../bench/fresh.js";
import { createForm } from "../bench/form.js";
import { createList } from "../bench/list.js";
import { createParts } from "../bench/parts.js";
import { onClicks, showProgress } from "../bench/progress.js";
import { createRecorder } from "../bench/record.js";
import { startThing } from "../bench/item.js";
import { createUndo } from "../bench/undo.js";
import { startZoom } from "../bench/image-zoom.js";
import { howOf } from "../bench/keys.js";
import { keepKeys, startMarks } from "../bench/marks.js";
import { startPanel } from "../bench/panel.js";
import { createTimer } from "../bench/timer.js";

const bench = document.querySelector("[data-grade-bench]");
const list = createList(bench);
const undo = createUndo(bench);
const timer = createTimer();
const thing = startThing(bench, { onBegin, say });
const form = createForm(thing.holder);
const parts = createParts(thing, say);
const recorder = createRecorder({ bench, list, onChange: (line) => paint(line), say });
let filter = bench.dataset.filter;
let current = list.get(bench.querySelector("[data-item] > a[aria-current]")?.parentElement.dataset.item);

function onBegin(line, isNew) {
  if (!isNew) return;
  form.begin(line);
  parts.begin();
  startContext();
}

function decide(line, { criterion, value, note, how }) {
  const spent = Math.round((line.seconds + timer.take()) * 10) / 10;
  line.seconds = 0;
  const before = recorder.judge(line, { criterion, value, note, how, spent });
  undo.push({ item: line.id, criterion, value: before.value, note: before.unsent ?? before.note });
  // A note is stored with a decision alone: without one it waits on the page, apart from what the site has.
  line.unsent = value === null ? note : undefined;
  if (value === null) line.note = "";
}

function press(button, how) {
  const line = current;
  const { criterion } = form.activeForm().dataset;
  const value = button.value === "" ? null : Number(button.value);
  decide(line, { criterion, value, note: form.note(), how });
  const did = `${nameOf(line)} ${value === null ? "taken back" : recorder.namesOf(line)}`;
  say(did);
  if (value !== null && thing.movesOn()) go(list.nextOpen(line), `${did}. `);
}

function takeBack() {
  const last = undo.pop();
  const line = last && list.get(last.item);
  if (!line) {
    say("Nothing to take back.");
    return;
  }
  go(line);
  decide(line, { ...last, how: "key" });
  undo.pop(); // taking back is not taken back
  say(`Taken back: ${nameOf(line)} ${recorder.namesOf(line) || "not decided"} again`);
}

function go(line, did = "") {
  if (!line) {
    const more = bench.querySelector("[data-next-page]") ? "Open the next page of the list for more." : "All are decided.";
    say(did + more);
    return;
  }
  if (current) current.seconds += timer.take();
  current = line;
  list.filter(filter, line);
  list.select(line);
  thing.show(line, list.nextOpen(line));
}

function paint(line) {
  list.paint(line, recorder.namesOf(line));
  form.paint(current);
  showProgress(bench, list, recorder.pace(), { paint() {} });
}

function say(text) {
  bench.querySelector("[data-did]").textContent = text;
}

function nameOf(line) {
  return `“${line.link.querySelector("bdi").textContent}”:`;
}

function setLater() {
  list.setLater(current, true);
  paint(current);
  say(`${nameOf(current)} for later`);
  go(list.nextOpen(current));
}

onClicks(bench, [
  ["[data-undo]", takeBack],
  ["[data-later]", thing.seen(setLater)],
  ["button[name=value]", thing.seen((button, event) => press(button, howOf(event)))],
  ["[data-view]", (link) => thing.open(link.href)],
  ["[data-step=open]", () => go(list.nextOpen(current))],
  ["[data-step]", (link) => go(list.step(current, Number(link.dataset.step)))],
  ["[data-filter-by]", (link) => { filter = link.dataset.filterBy; list.chooseFilter(link); }],
  ["[data-item] > a", (link) => go(list.get(link.parentElement.dataset.item))],
]);
bench.addEventListener("change", (event) => {
  if (!event.target.matches("[data-note]") || event.target.value === current.note) return;
  const { criterion } = event.target.form.dataset;
  const value = current.values[criterion] ?? null;
  if (value === null) { // it goes with the decision
    current.unsent = event.target.value;
    return;
  }
  decide(current, { criterion, value, note: event.target.value, how: "key" });
  say(`${nameOf(current)} note kept`);
});

startMarks();
startZoom();
keepKeys();
startPanel();
startFresh({ bench, outbox: recorder.outbox, say, take: (found) => list.takeOver(found, paint) });
bench.querySelector("[data-undo]").hidden = Boolean(bench.dataset.closed);
for (const line of list.lines) if (line.later) list.paint(line, recorder.namesOf(line));
if (current) {
  thing.begin(current, list.nextOpen(current));
  paint(current);
  list.select(current);
}
