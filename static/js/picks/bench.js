// The bench for picking: find a label, pick it, put the picks in order. The whole list is sent each time.
import { openAsk } from "../bench/ask.js";
import { onAsk, openBench } from "../bench/bench.js";
import { onClicks } from "../bench/clicks.js";
import { howOf } from "../bench/keys.js";
import { toWork } from "../bench/to-work.js";
import { startLabels } from "./labels.js";
import { startPages } from "./pages.js";
import { createPicked } from "./picked.js";
import { createTimer } from "../bench/timer.js";
import { worded } from "../web/words.js";

const frame = openBench({
  onAnswer(entry, json) {
    if (json.items) kept = { ids: json.items, none: entry.fields.none === "1" };
    if (json.items && !outbox.waiting && String(kept.ids) !== String(picked.ids())) set(kept.ids, kept.none); // one before it was refused
  },
  onRefused: () => set(kept.ids, kept.none),
});
const { bench, say, undo, finish, outbox } = frame;
const most = Number(bench.dataset.most);
const { closed } = bench.dataset; // why nothing can be changed
const timer = createTimer();
const picked = createPicked(bench);
const labels = startLabels(bench, { onPick: pick, say });
let none = bench.dataset.none !== undefined;
let kept = { ids: picked.ids(), none }; // as the server has it

function set(ids, isNone) {
  none = isNone;
  picked.set(ids.map((id) => ({ id, label: labels.labelOf(id) })));
  labels.setChosen(ids);
  const words = none ? worded("none of them") : worded("{ids} picked", { ids: ids.length });
  bench.querySelector("[data-picks-words]").textContent = words;
  const nothing = bench.querySelector("[data-nothing-picked]");
  nothing.hidden = ids.length > 0;
  nothing.textContent = none ? worded("None of them.") : worded("Nothing picked yet.");
  const button = bench.querySelector("[data-none-button]");
  button.setAttribute("aria-pressed", String(none));
  button.disabled = Boolean(closed) || ids.length > 0;
  finish.paint(ids.length || none ? 0 : 1, worded("Nothing is picked yet: pick something, or say that it is none of them."));
}

function change(ids, isNone, did, how = "key", remember = true) {
  if (closed) {
    say(closed);
    return;
  }
  const before = { ids: picked.ids(), none };
  const fields = { items: JSON.stringify(ids), how, seconds: Math.round(timer.take() * 10) / 10, assignment: bench.dataset.assignment };
  fields.shown = JSON.stringify({ items: picked.ids(), none });
  if (isNone || none !== isNone) fields.none = isNone ? "1" : "0";
  set(ids, isNone);
  const { client_key: sent } = frame.send(bench.dataset.picks, fields).fields;
  if (remember) undo.push(before, sent);
  say(did);
}

function pick(id, how) {
  const ids = picked.ids();
  if (ids.includes(id)) {
    picked.select(id);
    say(worded("{id} is picked already, as {id2}.", { id: labels.labelOf(id), id2: ids.indexOf(id) + 1 }));
  } else if (ids.length >= most) say(worded("At most {most} may be picked. Take one out first.", { most }));
  else {
    change([...ids, id], false, worded("{id} picked as {ids}", { id: labels.labelOf(id), ids: ids.length + 1 }), how);
    picked.select(id);
  }
}

function move(by) {
  const ids = picked.ids();
  const at = ids.indexOf(picked.current());
  const to = at + by;
  if (at < 0) return void say(worded("Choose a pick first, with j and k."));
  if (to < 0 || to >= ids.length) return void say(by > 0 ? worded("{id} is the last already.", { id: labels.labelOf(ids[at]) }) : worded("{id} is the first already.", { id: labels.labelOf(ids[at]) }));
  const [id] = ids.splice(at, 1);
  ids.splice(to, 0, id);
  change(ids, false, worded("{id} is {to} now", { id: labels.labelOf(id), to: to + 1 }));
  picked.select(id);
}

function step(by) {
  const { length } = picked.ids();
  if (picked.step(by)) return;
  if (!length) say(none ? worded("None of them.") : worded("Nothing picked yet."));
  else say(by > 0 ? worded("{id} is the last already.", { id: labels.labelOf(picked.current()) }) : worded("{id} is the first already.", { id: labels.labelOf(picked.current()) }));
}

function remove(id, how) {
  if (!id) return void say(worded("Choose a pick first, with j and k."));
  const ids = picked.ids();
  const at = ids.indexOf(id);
  change(ids.filter((each) => each !== id), false, worded("{id} taken out", { id: labels.labelOf(id) }), how);
  picked.select(picked.ids()[Math.min(at, ids.length - 2)]);
}

function take(found) {
  const now = { ids: createPicked(found).ids(), none: found.dataset.none !== undefined };
  if (now.none === none && String(now.ids) === String(picked.ids())) return false;
  labels.take(found);
  kept = now;
  set(now.ids, now.none);
  return true;
}

function takeBack() {
  const before = undo.pop();
  if (before) {
    change(before.ids, before.none, "", "key", false);
    say(worded("Undone: {words}", { words: bench.querySelector("[data-picks-words]").textContent }));
  } else say(worded("Nothing to undo."));
}

onClicks(bench, [
  ["[data-undo]", takeBack],
  ["[data-picked-step]", (button) => step(Number(button.dataset.pickedStep))],
  ["[data-picked-move]", (button) => move(Number(button.dataset.pickedMove))],
  ["[data-picked-remove]", (_, event) => remove(picked.current(), howOf(event))],
  ["[data-picked] button", (button, event) => remove(Number(button.closest("[data-picked-item]").dataset.pickedItem), howOf(event))],
  ["[data-none-button]", (_, event) => change([], !none, none ? worded("Undone: none of them") : worded("None of them. Press f to mark the work as done."), howOf(event))],
  ["[data-picked-item]", (item) => picked.select(Number(item.dataset.pickedItem))],
]);
bench.querySelector("[data-ask-open]")?.addEventListener("click", openAsk);
onAsk(bench, (form) => {
  frame.send(form.action, { text: form.elements.text.value, assignment: bench.dataset.assignment });
  form.reset();
  form.closest("details").open = false;
  toWork();
  say(worded("Asked the organiser."));
});

startPages(bench, say);
frame.start({ take });
bench.querySelector("[data-picked-keys]").hidden = Boolean(closed);
set(picked.ids(), none);
if (document.activeElement === document.body) bench.querySelector("[data-answer]").focus({ preventScroll: true });
