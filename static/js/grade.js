// The grading bench: a key judges, the list moves on, nothing is lost.
import { createList } from "./grade-list.js";
import { createRecorder } from "./grade-record.js";
import { startThing } from "./grade-thing.js";
import { createUndo } from "./grade-undo.js";
import { howOf } from "./keys.js";
import { keepKeys, startMarks } from "./marks.js";
import { startPanel } from "./panel.js";
import { createTimer } from "./timer.js";

const bench = document.querySelector("[data-grade-bench]");
const list = createList(bench);
const undo = createUndo(bench);
const timer = createTimer();
const thing = startThing(bench);
const recorder = createRecorder({ bench, list, onChange: (line) => paint(line), say });
let filter = bench.dataset.filter;
let current = list.get(bench.querySelector("[data-item] > a[aria-current]")?.parentElement.dataset.item);

function judge(line, { criterion, value, note, how }) {
  const spent = Math.round((line.seconds + timer.take()) * 10) / 10;
  line.seconds = 0;
  const before = recorder.judge(line, { criterion, value, note, how, spent });
  return { item: line.id, criterion, value: before.value, note: before.note };
}

function press(button, how) {
  const line = current;
  const { criterion } = button.closest("[data-criterion]").dataset;
  const value = button.value === "" ? null : Number(button.value);
  undo.push(judge(line, { criterion, value, note: thing.note(), how }));
  const did = `${nameOf(line)} ${value === null ? "taken back" : recorder.namesOf(line)}`;
  say(did);
  if (value !== null && list.isJudged(line) && thing.movesOn()) go(list.nextOpen(line), `${did}. `);
}

function takeBack() {
  const last = undo.pop();
  const line = last && list.get(last.item);
  if (!line) {
    say("Nothing to take back.");
    return;
  }
  go(line);
  judge(line, { criterion: last.criterion, value: last.value, note: last.note, how: "key" });
  say(`Taken back: ${nameOf(line)} ${recorder.namesOf(line) || "not judged"} again`);
}

function go(line, did = "") {
  if (!line) {
    const left = list.lines.length - list.done;
    const rest = left ? `${left} ${left === 1 ? "waits" : "wait"} for the organiser's answer; all others are judged. You may judge ${left === 1 ? "it" : "them"} all the same.` : "All are judged: press f to mark the work as done.";
    say(did + rest);
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
  thing.paint(current);
  const { done } = list;
  bench.querySelector("[data-progress]").value = done;
  bench.querySelector("[data-progress-words]").textContent = `${done} of ${list.lines.length} judged`;
  bench.querySelector("[data-pace]").textContent = recorder.pace();
  const finish = bench.querySelector("[data-finish]");
  if (finish) finish.hidden = done < list.lines.length;
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

function setFilter(link) {
  filter = link.dataset.filterBy;
  for (const other of bench.querySelectorAll("[data-filter-by]")) {
    if (other === link) other.setAttribute("aria-current", "true");
    else other.removeAttribute("aria-current");
  }
  list.filter(filter, null);
}

const ACTIONS = [
  ["[data-undo]", takeBack],
  ["[data-later]", setLater],
  ["[data-criterion] button", (button, event) => press(button, howOf(event))],
  ["[data-view]", (link) => thing.show(current, null, link.href)],
  ["[data-step=open]", () => go(list.nextOpen(current))],
  ["[data-step]", (link) => go(list.step(current, Number(link.dataset.step)))],
  ["[data-filter-by]", setFilter],
  ["[data-item] > a", (link) => go(list.get(link.parentElement.dataset.item))],
];

bench.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  for (const [selector, act] of ACTIONS) {
    const element = event.target.closest(selector);
    if (!element) continue;
    event.preventDefault();
    act(element, event);
    return;
  }
});
bench.addEventListener("change", (event) => {
  if (!event.target.matches("[data-note]") || event.target.value === current.note) return;
  const { criterion } = event.target.form.dataset;
  const value = current.values[criterion] ?? null;
  undo.push(judge(current, { criterion, value, note: event.target.value, how: "key" }));
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
keepKeys();
startPanel();
bench.querySelector("[data-undo]").hidden = false;
for (const line of list.lines) if (line.later) list.paint(line, recorder.namesOf(line));
if (current) {
  thing.begin(current, list.nextOpen(current));
  paint(current);
  list.select(current);
}
