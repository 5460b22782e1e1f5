// The adjudication bench of whole works: a decision waits in the outbox, and its answer brings the next page; the list is
// looked through by words and numbers.
import { findBench, startTools } from "../bench/bench.js";
import { startFinding } from "../bench/find-lines.js";
import { howOf } from "../bench/keys.js";
import { createOutbox } from "../bench/outbox.js";
import { waitForPage } from "../bench/page-to-come.js";
import { toBegin } from "../bench/to-work.js";
import { worded } from "../web/words.js";

const { bench, say } = findBench();
const { base, kept, listed } = bench.dataset;
const lines = () => [...bench.querySelectorAll("[data-work-list] > li")];
const isPlace = (number) => /^[1-9]\d*$/.test(number) && Number(number) <= Number(listed);

startFinding(bench, {
  say,
  lines,
  textOf: (line) => line.querySelector(".words").textContent,
  take() {},
  go: (line) => (line.querySelector ? line.querySelector("a").click() : location.assign(line)),
  back: () => bench.querySelector("[data-work-list] a[aria-current]")?.focus(),
  at: (number) => (isPlace(number) ? `${base}?${kept}place=${number}` : null), // maybe on another page of the list
  things: "disagreements",
  numbered: "disagreement",
});
startTools();
const setToCome = waitForPage(say);
const pressable = () => [...bench.querySelectorAll(".settle-wholes button[aria-pressed]")];
const pressed = pressable().map((button) => button.ariaPressed);
const outbox = createOutbox({
  person: document.body.dataset.person,
  status: bench.querySelector("[data-save-status]"),
  onAnswer: (_, { next }) => location.assign(next),
  onRefused(_, { detail: why }) {
    setToCome(false);
    pressable().forEach((button, at) => { button.ariaPressed = pressed[at]; });
    say(worded("Not saved: {why}", { why }));
  },
});
const isWaiting = (form) => Boolean(form && outbox.waitingFor(form.action));
setToCome(isWaiting(bench.querySelector(".settle-wholes")));

let how = "click";
bench.addEventListener("click", (event) => { how = howOf(event); });
bench.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.matches(".settle-wholes")) return;
  event.preventDefault();
  if (isWaiting(form)) return void say(worded("The decision before this one is not saved yet, so this one did nothing."));
  const { client_key: _, ...fields } = Object.fromEntries(new FormData(form, submitter)); // the outbox makes a key for each
  for (const button of pressable()) button.ariaPressed = String(button === submitter);
  setToCome(true);
  outbox.send({ url: form.action, fields: { ...fields, how } });
});
// A decision loads the page anew: it is read first, else the topic that is decided.
toBegin();
