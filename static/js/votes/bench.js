// The voting bench: v or o votes, the next nugget without a vote comes by itself.
import { startAsk } from "../bench/ask.js";
import { openBench } from "../bench/bench.js";
import { onClicks } from "../bench/clicks.js";
import { startFinding } from "../bench/find-lines.js";
import { howMany } from "../bench/finish.js";
import { quoteOf } from "../bench/status-line.js";
import { quoted, worded } from "../web/words.js";

const frame = openBench({
  onAnswer(entry, answer) {
    const line = entry.url === bench.dataset.cast && lineOf(answer.nugget);
    if (line && !frame.isPending(line)) setVote(line, answer.importance ?? "");
  },
  onRefused({ fields }) {
    const line = lineOf(fields.nugget);
    return line && line !== current ? { of: nameOf(line), place: lines.indexOf(line) + 1 } : {};
  },
});
const { bench, say, undo, finish } = frame;
const lines = [...bench.querySelectorAll("[data-nugget]")];
let current = null;
let input = { how: "key", isArrow: false };

const lineOf = (number) => lines.find((line) => line.dataset.nugget === String(number));
const END = { 1: worded("This is the last nugget."), "-1": worded("This is the first nugget."), open: worded("No other nugget is open.") };
const voteOf = (line) => line.querySelector("input:checked")?.labels[0].firstChild.nextSibling.textContent.trim() ?? "";
const nameOf = (line) => `${lines.indexOf(line) + 1} ${quoted(quoteOf(line.querySelector(".nugget-text")))}`;

function setVote(line, vote) {
  line.dataset.vote = vote;
  for (const radio of line.querySelectorAll("input[type=radio]")) radio.checked = radio.value === vote;
  const done = lines.filter((each) => each.dataset.vote).length;
  bench.querySelector("[data-progress]").value = done;
  bench.querySelector("[data-progress-words]").textContent = worded("{done} of {lines} voted", { done, lines: lines.length });
  finish.paint(lines.length - done, howMany(lines.length - done, worded("voted on")));
}

function cast(line, importance, how) {
  const earlier = line.dataset.vote;
  setVote(line, importance);
  const fields = { nugget: line.dataset.nugget, importance, how, list: bench.dataset.list, shown: JSON.stringify(earlier) };
  const { client_key: sent } = frame.send(bench.dataset.cast, fields, { thing: line, back: () => setVote(line, earlier) }).fields;
  return { earlier, sent };
}

function go(line, { focus = true } = {}) {
  if (!line) return;
  if (current) {
    current.removeAttribute("data-here");
    for (const radio of current.querySelectorAll("[data-vote-key]")) delete radio.dataset.key;
  }
  current = line;
  line.hidden = false; // what undo or a number leads to is shown, whatever words are asked for
  line.setAttribute("data-here", "");
  for (const radio of line.querySelectorAll("[data-vote-key]")) radio.dataset.key = radio.dataset.voteKey;
  if (focus) line.querySelector("fieldset").focus({ preventScroll: true });
  line.scrollIntoView({ block: "nearest" });
}

function nextOpen(line) {
  const index = lines.indexOf(line);
  return [...lines.slice(index + 1), ...lines.slice(0, index)].find((each) => !each.dataset.vote && !each.hidden);
}

function nothingLeft() {
  if (lines.some((each) => !each.dataset.vote)) return worded(". Of those shown no other is open: / and Esc show all.");
  return worded(". All are voted: press f to mark the work as done.");
}

function vote(radio) {
  const line = radio.closest("[data-nugget]");
  if (line.dataset.vote !== radio.value) {
    const { earlier, sent } = cast(line, radio.value, input.how);
    undo.push({ nugget: line.dataset.nugget, vote: earlier }, sent);
  }
  const next = nextOpen(line);
  say(`${nameOf(line)}: ${voteOf(line)}${next ? "" : nothingLeft()}`);
  if (next && !input.isArrow) go(next);
  else go(line, { focus: false });
}

function takeBack() {
  const last = undo.pop();
  const line = last && lineOf(last.nugget);
  if (!line) {
    say(worded("Nothing to undo."));
    return;
  }
  go(line);
  cast(line, last.vote, "key");
  say(last.vote ? worded("Undone: {name} is {vote}", { name: nameOf(line), vote: voteOf(line) }) : worded("Undone: {name} has no vote", { name: nameOf(line) }));
}

function step(by) {
  const shown = lines.filter((line) => !line.hidden || line === current);
  const next = by === "open" ? nextOpen(current) : Number.isFinite(Number(by)) ? shown[shown.indexOf(current) + Number(by)] : shown.at(by > 0 ? -1 : 0);
  if (!next || next === current) return void say(END[Math.sign(by) || by]);
  go(next);
  say(worded("{line} of {most}: {said}", { line: lines.indexOf(next) + 1, most: lines.length, said: voteOf(next) || worded("open") }));
}

document.addEventListener("keydown", (event) => { input = { how: "key", isArrow: event.key.startsWith("Arrow") }; }, { capture: true });
document.addEventListener("pointerdown", () => { input = { how: "click", isArrow: false }; }, { capture: true });
bench.addEventListener("change", (event) => { if (event.target.matches("input[type=radio]")) vote(event.target); });
bench.addEventListener("click", ({ target }) => { // again what is so already: that is said, too
  if (target.matches("input[type=radio]") && target.closest("[data-nugget]").dataset.vote === target.value) vote(target);
});
bench.addEventListener("focusin", (event) => {
  const line = event.target.closest("[data-nugget]");
  if (line && line !== current) go(line, { focus: false });
});
onClicks(bench, [
  ["[data-step]", (tool) => step(tool.dataset.step)],
  ["[data-undo]", takeBack],
]);

startAsk(frame);
startFinding(bench, {
  say,
  lines: () => lines,
  textOf: (line) => line.querySelector(".nugget-text").textContent,
  take: (line) => go(line, { focus: false }),
  go,
  back: () => go(current),
  at: (number) => lines[Number(number) - 1],
  things: "nuggets",
  numbered: "nugget",
});
frame.start({
  shows: "[data-step], [data-undo]",
  take(found) {
    const others = [...found.querySelectorAll("[data-nugget]")].map((other) => [lineOf(other.dataset.nugget), other.dataset.vote])
      .filter(([line, vote]) => line && line.dataset.vote !== vote);
    for (const [line, vote] of others) setVote(line, vote);
    return others.length > 0;
  },
});
const asked = new URLSearchParams(location.search).get("nugget"); // from "Look again"
go(lineOf(asked) ?? lines.find((line) => !line.dataset.vote) ?? lines[0]);
