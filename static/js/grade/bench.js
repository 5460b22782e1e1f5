// The grading bench: a key judges, the list moves on, nothing is lost.
import { createFinish } from "../bench/finish.js";
import { createEvidence } from "./evidence.js";
import { startFresh } from "../bench/fresh.js";
import { createForm } from "../bench/form.js";
import { createList } from "../bench/list.js";
import { createMore } from "./more.js";
import { createParts } from "../bench/parts.js";
import { onClicks, showProgress, whatIsLeft } from "../bench/progress.js";
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
const evidence = createEvidence({ holder: thing.holder, form, say, onChange: setSnippets, showText: () => thing.open(`?item=${current.id}&view=text`) });
const more = createMore({
  bench, list,
  refresh: () => { list.filter(filter, current); paint(current); },
  goOn: (line) => { if (list.isSettled(current) && thing.movesOn()) go(line); },
});
const recorder = createRecorder({ bench, list, onChange: (line) => paint(line), onStored: more, say });
const finish = createFinish({ bench, outbox: recorder.outbox, say });
let filter = bench.dataset.filter;
let current = list.get(bench.querySelector("[data-item] > a[aria-current]")?.parentElement.dataset.item);

function onBegin(line, isNew) {
  if (isNew) {
    form.begin(line);
    parts.begin();
  }
  evidence.begin(line);
}

function judge(line, { criterion, value, note, how, snippets }) {
  const spent = Math.round((line.seconds + timer.take()) * 10) / 10;
  line.seconds = 0;
  const before = recorder.judge(line, { criterion, value, note, how, spent, evidence: snippets });
  undo.push({ item: line.id, criterion, value: before.value, note: before.note, snippets: before.evidence });
  return before;
}

function press(button, how) {
  const line = current;
  const { criterion } = button.closest("[data-criterion]").dataset;
  const value = button.value === "" ? null : Number(button.value);
  const wasJudged = list.isJudged(line);
  const before = judge(line, { criterion, value, note: form.note(), how });
  const did = `${nameOf(line)} ${value === null ? "taken back" : recorder.namesOf(line)}`;
  say(did);
  if (value === null || evidence.remind(line, criterion, value, before.value)) return;
  if (!form.goOn(line, criterion, wasJudged) && list.isJudged(line) && thing.movesOn()) go(list.nextOpen(line), `${did}. `);
}

function setSnippets(line, criterion, snippets) {
  judge(line, { criterion, value: line.values[criterion] ?? null, note: line.note, how: "key", snippets });
}

function takeBack() {
  const last = undo.pop();
  const line = last && list.get(last.item);
  if (!line) return say("Nothing to take back.");
  go(line);
  judge(line, { ...last, how: "key" });
  undo.pop(); // taking back is not taken back
  say(`Taken back: ${nameOf(line)} ${recorder.namesOf(line) || "not judged"} again`);
}

function go(line, did = "") {
  if (!line) return say(did + whatIsLeft(list));
  if (current) current.seconds += timer.take();
  current = line;
  list.filter(filter, line);
  list.select(line);
  thing.show(line, list.nextOpen(line));
}

function paint(line) {
  list.paint(line, recorder.namesOf(line));
  form.paint(current);
  evidence.paint(current);
  showProgress(bench, list, recorder.pace(), finish);
}

function say(text) {
  bench.querySelector("[data-did]").textContent = text;
}

function nameOf(line) {
  return `${line.index + 1} “${line.link.querySelector(".words").textContent}”:`;
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
  ["[data-criterion] button[name=value]", thing.seen((button, event) => press(button, howOf(event)))],
  ["[data-view]", (link) => thing.open(link.href)],
  ["[data-criterion-step]", (button) => form.step(Number(button.dataset.criterionStep))],
  ["[data-step=open]", () => go(list.nextOpen(current))],
  ["[data-step]", (link) => go(list.step(current, Number(link.dataset.step)))],
  ["[data-filter-by]", (link) => { filter = link.dataset.filterBy; list.chooseFilter(link); }],
  ["[data-item] > a", (link) => go(list.get(link.parentElement.dataset.item))],
]);
bench.addEventListener("change", (event) => {
  if (!event.target.matches("[data-note]") || event.target.value === current.note) return;
  const { criterion } = event.target.form.dataset;
  const value = current.values[criterion] ?? null;
  judge(current, { criterion, value, note: event.target.value, how: "key" });
  say(`${nameOf(current)} note kept`);
});
bench.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-ask-form]")) return;
  event.preventDefault();
  const line = current;
  recorder.ask(line, event.target.elements.text.value);
  say(`${nameOf(line)} asked the organiser`);
  go(list.nextOpen(line), `${nameOf(line)} asked the organiser. `);
});

startMarks();
startZoom();
keepKeys();
startPanel();
startFresh({ bench, outbox: recorder.outbox, say, take: (found) => list.takeOver(found, paint) });
bench.querySelector("[data-undo]").hidden = false;
for (const line of list.lines) if (line.later) list.paint(line, recorder.namesOf(line));
if (current) {
  thing.begin(current, list.nextOpen(current));
  paint(current);
  list.select(current);
}
