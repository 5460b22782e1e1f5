// The grouping bench: choose answers, put them together, nothing is lost; the server sends both columns anew.
import { startContext } from "../bench/context.js";
import { createFinish, howMany } from "../bench/finish.js";
import { startAsk } from "../bench/ask.js";
import { createActs } from "./acts.js";
import { createBoard } from "./board.js";
import { startFound } from "./found.js";
import { startFresh } from "../bench/fresh.js";
import { holdKeys } from "../bench/held-keys.js";
import { howOf } from "../bench/keys.js";
import { keepKeys, startMarks } from "../bench/marks.js";
import { createOutbox } from "../bench/outbox.js";
import { startPanel } from "../bench/panel.js";

const bench = document.querySelector("[data-class-bench]");
const panel = document.getElementById("side-panel");
const board = createBoard(bench);
let how = "key";
let lastKey = "";

const say = (text) => { bench.querySelector("[data-did]").textContent = text; };

const outbox = createOutbox({
  person: document.body.dataset.person,
  status: bench.querySelector("[data-save-status]"),
  onAnswer(entry, answer) {
    if (entry.url !== bench.dataset.edit) return;
    bench.dataset.edits = answer.edits;
    say(answer.did);
    if (entry.fields.action === "found") found.added();
    if (outbox.waiting === 0) show(answer);
    goOn();
  },
  onRefused(entry, answer) {
    board.unsend();
    goOn();
    say(`Not done: ${answer.detail}`);
  },
});

const finish = createFinish({ bench, outbox, say });

function send(action, fields, boxes = []) {
  const shown = Number(bench.dataset.edits) + outbox.waitingFor(bench.dataset.edit); // those on their way come before it
  outbox.send({ url: bench.dataset.edit, fields: { action, how, shown, ...fields } });
  board.send(boxes);
}

function show(answer) {
  board.put(answer);
  bench.querySelector("[data-progress]").value = answer.done;
  bench.querySelector("[data-progress]").max = Math.max(1, answer.total);
  const classes = answer.classes_count === 1 ? "1 class" : `${answer.classes_count} classes`;
  bench.querySelector("[data-progress-words]").textContent = `${answer.done} of ${answer.total} grouped · ${classes}`;
  finish.paint(answer.total - answer.done, howMany(answer.total - answer.done, "grouped"));
  bench.querySelector("[data-act=undo]").disabled = !answer.can_undo;
  bench.querySelector("[data-act=redo]").disabled = !answer.can_redo;
  found.refresh(board.all);
  shareKeys();
}

// The board as the server shows it now.
function take(found) {
  if (found.dataset.edits === bench.dataset.edits) return false;
  bench.dataset.edits = found.dataset.edits;
  const [done, total] = ["value", "max"].map((name) => Number(found.querySelector("[data-progress]").getAttribute(name)));
  const [waiting, classes] = ["waiting", "classes"].map((name) => found.querySelector(`[data-column=${name}]`).childNodes);
  const can = (act) => found.querySelector(`[data-act=${act}]`)?.disabled === false;
  show({ waiting, classes, done, total, classes_count: found.querySelectorAll("[data-class]").length, can_undo: can("undo"), can_redo: can("redo") });
  return true;
}

// The panel's "next mark" has the key n, too: it gets it while it is there.
function shareKeys() {
  const create = bench.querySelector("[data-act=create]");
  const marks = panel.open && panel.querySelector("[data-mark-tools]:not([hidden])");
  if (create) create.dataset.key = marks ? "" : "n";
}

const acts = createActs({ bench, board, send, say, keyOf: () => lastKey, typing: outbox.typing });
const found = startFound({ bench, onAdd: (fields) => send("found", fields) });

document.addEventListener("keydown", (event) => { lastKey = event.key; }, { capture: true });
document.addEventListener("pointerdown", () => { lastKey = ""; }, { capture: true });
bench.addEventListener("click", (event) => {
  const element = event.target.closest("[data-act], [data-step], [data-document-link]");
  if (!element || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  how = howOf(event);
  if (element.dataset.act) acts[element.dataset.act](element);
  else if (element.dataset.step) board.step(Number(element.dataset.step));
  else htmx.ajax("GET", element.href, "#side-body");
});
bench.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("[data-box]")) return;
  event.preventDefault(); // Enter would press the first button of the form
});

startMarks();
keepKeys();
startPanel();
startContext();
startFresh({ bench, outbox, say, take });
const goOn = holdKeys({ isBusy: () => outbox.waitingFor(bench.dataset.edit) > 0, waits: () => true, say });
startAsk({ bench, outbox, say, aboutOf: () => board.items().slice(0, 1).map((box) => ({ id: box.value, text: box.dataset.text }))[0] ?? null });
new MutationObserver(shareKeys).observe(panel, { attributes: true, subtree: true, attributeFilter: ["open", "hidden"], childList: true });
board.begin();
