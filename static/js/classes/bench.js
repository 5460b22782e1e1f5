// The grouping bench: choose answers, put them together, nothing is lost; the server sends both columns anew.
import { startAsk } from "../bench/ask.js";
import { openBench } from "../bench/bench.js";
import { onClicks } from "../bench/clicks.js";
import { createEdits } from "../bench/edits.js";
import { howMany } from "../bench/finish.js";
import { howOf } from "../bench/keys.js";
import { meant } from "../bench/moved-keys.js";
import { quoteOf } from "../bench/status-line.js";
import { createActs } from "./acts.js";
import { createBoard } from "./board.js";
import { startClassFinding } from "./finding.js";
import { startFound } from "./found.js";
import { worded } from "../web/words.js";

const frame = openBench({
  onAnswer(entry, answer) {
    if (!edits.isEdit(entry)) return;
    bench.dataset.edits = answer.edits;
    did = answer.did;
    say(did);
    if (entry.fields.action === "found") found.added();
    if (outbox.waiting === 0) show(answer);
    edits.goOn();
    did = "";
  },
  onRefused() {
    board.unsend();
    edits.goOn();
  },
});
const { bench, say, outbox, finish } = frame;
const edits = createEdits(frame);
const panel = document.getElementById("side-panel");
const narrow = startClassFinding({ bench, board: () => board, say });
const board = createBoard(bench, narrow);
let how = "key";
let lastKey = "";
let did = ""; // while keys that waited for its answer are pressed again: it is not lost to what they say

function sayPlace(place) {
  say(did ? `${did}. ${place}` : place);
}

function send(action, fields, boxes = []) {
  frame.send(bench.dataset.edit, { action, how, shown: edits.count(), ...fields });
  board.send(boxes);
}

function show(answer) {
  board.put(answer);
  bench.querySelector("[data-progress]").value = answer.done;
  bench.querySelector("[data-progress]").max = Math.max(1, answer.total);
  const classes = answer.classes_count === 1 ? worded("1 class") : worded("{classes_count} classes", { classes_count: answer.classes_count });
  bench.querySelector("[data-progress-words]").textContent = worded("{done} of {total} grouped · {classes}", { done: answer.done, total: answer.total, classes });
  finish.paint(answer.total - answer.done, howMany(answer.total - answer.done, "grouped"));
  bench.querySelector("[data-act=undo]").disabled = !answer.can_undo;
  bench.querySelector("[data-act=redo]").disabled = !answer.can_redo;
  found.refresh(board.all);
  shareKeys();
}

// The board as the server shows it now.
function take(found) {
  if (!edits.takeCount(found)) return false;
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

const acts = createActs({ bench, board, send, count: edits.count, say, sayPlace, keyOf: () => lastKey, typing: outbox.typing });
const found = startFound({ bench, onAdd: (fields) => send("found", fields) });

document.addEventListener("keydown", (event) => { lastKey = meant(event); }, { capture: true });
document.addEventListener("pointerdown", () => { lastKey = ""; }, { capture: true });
onClicks(bench, [
  ["[data-act]", (button, event) => {
    how = howOf(event);
    acts[button.dataset.act](button);
  }],
  ["[data-step]", (button) => sayPlace(board.step(Number(button.dataset.step)))],
  ["[data-document-link]", (link) => htmx.ajax("GET", link.href, "#side-body")],
]);
bench.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("[data-box]")) return;
  event.preventDefault(); // Enter would press the first button of the form
});

frame.start({ take, shows: "" });
edits.hold(() => true);
startAsk({ ...frame, aboutOf: () => board.items().slice(0, 1).map((box) => ({ id: box.value, text: quoteOf(box.parentElement.querySelector(".words"), 200) }))[0] ?? null });
new MutationObserver(shareKeys).observe(panel, { attributes: true, subtree: true, attributeFilter: ["open", "hidden"], childList: true });
board.begin();
