// The bench for marking nuggets in strings, response by response, by keys.
import { openBench } from "../bench/bench.js";
import { onClicks } from "../bench/clicks.js";
import { howMany } from "../bench/finish.js";
import { howOf } from "../bench/keys.js";
import { meant } from "../bench/moved-keys.js";
import { startStrings } from "../bench/strings.js";
import { createTypedNumber } from "../bench/typed-number.js";
import { startAsking } from "./ask.js";
import { takeCurrent, takeMarks } from "./fresh.js";
import { createHand } from "./hand.js";
import { startTab } from "./tab.js";
import { createMarks } from "./marks.js";
import { createMoves } from "./moves.js";
import { startFilter } from "./filter.js";
import { createOrder } from "./order.js";
import { createLooked } from "./looked.js";
import { createOthers } from "./others.js";
import { createSaying, DONE } from "./say.js";
import { createPainter } from "./paint.js";
import { createWriter } from "./write.js";
import { worded } from "../web/words.js";

const frame = openBench({ onAnswer: (...given) => writer.takeAnswer(...given), onRefused: (...given) => writer.takeRefusal(...given) });
const { bench, say, outbox, undo, finish } = frame;
const isEditable = bench.dataset.editable !== undefined;
const marks = createMarks(bench);
const others = createOthers({ frame, marks });
const painter = createPainter(frame, marks);
const writer = createWriter({ frame, marks, repaint });
let response = marks.responses.find((each) => each.element && !each.element.hidden);
const moves = createMoves({ bench, marks, others, say, show, strings: () => strings });
const hand = createHand(painter, say);
const digit = createTypedNumber({
  numbers: () => painter.rows.map((row) => String(row.number)),
  hold: () => strings.current,
  taker: " ",
  show(typed, dropped = "") {
    outbox.typing(typed && worded("nugget {typed}_", { typed }));
    say(typed ? worded("Nugget {typed}_ for [{letter}]: Enter takes it, Esc drops it", { typed, letter: strings.current.dataset.letter }) : dropped && worded("Nugget {dropped}_ dropped: nothing was marked.", { dropped }));
  },
  choose(number, string) {
    const row = painter.row(Number(number));
    if (row) hand.take(row, false);
    if (row) said.toggle(row, "key", string);
    else say(worded("There is no nugget {number}.", { number }));
  },
});
const said = createSaying({ marks, writer, undo, hand, painter, say, isEditable, strings: () => strings, repaint, current: () => response });
const order = createOrder(bench, { painter, hand, filter: startFilter(bench, { painter, hand }) });
const strings = startStrings(bench, { onSelect: (string) => { order.begin(string); painter.nuggets(string, response); strings.followDocument(string); } });
const looked = createLooked({ bench, marks, writer, undo, moves, say, strings: () => strings, current: () => response });
function repaint() {
  painter.strings(response);
  painter.nuggets(strings.current, response);
  progress();
}

function progress() {
  const { done, total } = painter.progress();
  if (total) finish.paint(total - done, howMany(total - done, worded("looked at")));
}

function show(next, string) {
  if (response !== next) order.freshen(next, others);
  response = next;
  painter.response(response);
  strings.select(string ?? response.strings.find((each) => !marks.isSettled(each.dataset.string)) ?? response.strings[0]);
}

function takeBack() {
  const last = undo.pop();
  if (!last || !isEditable) {
    say(worded("Nothing to undo."));
    return;
  }
  const stringOf = (each) => each.strings.find((string) => string.dataset.string === [last.item].flat()[0]);
  const home = stringOf(response) ? response : others.find([last.item].flat()[0]);
  const then = () => {
    if (last.kind === "review") return looked.takeBack(last);
    const item = marks.item(last.item);
    for (const { part, value, quote } of last.was) writer.mark(item, painter.row(last.number), { part, value, quote, span: "", how: "key" });
    const value = DONE[last.was.find((each) => each.value)?.value ?? ""];
    say(worded("Undone: nugget {number} {value} [{letter}]", { number: last.number, value, letter: strings.current.dataset.letter }));
  };
  moves.go(home, { pick: stringOf, then });
}

// Done to the string in hand. None is while a response is on its way: then it does nothing, and that is said.
const toHand = (act) => (element, how) => (strings.current ? act(element, how) : say(worded("The response is still coming, so this did nothing.")));

onClicks(bench, [
  ["[data-nugget] button", toHand((button, how) => { const row = painter.row(Number(button.parentElement.dataset.nugget)); hand.take(row, false); said.toggle(row, how); })],
  ["[data-toggle-now]", toHand((_, how) => said.toggle(hand.nugget, how))],
  ["[data-digit]", toHand(() => { if (strings.lastKey) digit(meant(strings.lastKey)); })],
  ["[data-nugget-step]", () => hand.step(strings.lastKey?.key === "ArrowUp" ? -1 : 1)],
  ["[data-part]", toHand((_, how) => said.part(how))],
  ["[data-say]", toHand((button, how) => said.all(button.dataset.say, how))],
  ["[data-keep-quote]", toHand((_, how) => said.quote(how))],
  ["[data-suggest]", toHand((button, how) => said.suggestion(button.dataset.suggest, how))],
  ["[data-response-step=open]", () => { if (!moves.goOn(response)) say(worded("No other response is open.")); }],
  ["[data-response-step]", (button) => moves.step(response, Number(button.dataset.responseStep))],
  ["[data-review-now]", toHand((_, how) => isEditable && looked.string(how))],
  ["[data-review-rest]", toHand((_, how) => looked.rest(how))],
  ["[data-unreview]", toHand((_, how) => looked.unreview(how))],
  ["[data-undo]", takeBack],
].map(([selector, act]) => [selector, (element, event) => act(element, howOf(event))]));
startTab(bench, { strings, lookedAt: toHand((_, how) => isEditable && looked.string(how)) });
startAsking(bench, { strings, writer });
bench.querySelector("[data-goto]").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  const { value } = event.target;
  event.target.value = ""; // the same number may be typed again
  moves.goTo(value.replace(/[#\s]/g, "") || response.index + 1);
});
for (const part of bench.querySelectorAll("[data-goto-label], :is(.bench-foot, .nugget-forms) button[data-key], [data-unreview], [data-review-rest]")) {
  part.hidden = !isEditable && part.matches("[data-toggle-now], [data-digit], [data-say], [data-part], [data-keep-quote], [data-suggest], [data-undo]");
}
frame.start({
  shows: "",
  take(found) {
    const isOther = takeMarks({ marks, found, isPending: frame.isPending });
    takeCurrent({ marks, others, found, response, isPending: frame.isPending, repaint });
    if (isOther) {
      others.forget(response);
      repaint();
    }
    return isOther;
  },
});
if (response) {
  const first = response.strings.find((string) => string.getAttribute("aria-current"));
  painter.response(response);
  progress();
  hand.take(hand.nugget, false);
  strings.select(first ?? response.strings[0], document.activeElement === document.body);
  others.prepare(response);
}
