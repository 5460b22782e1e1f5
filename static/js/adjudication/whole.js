// The adjudication bench of whole works: its forms are plain ones, its list is looked through by words and numbers.
import { findBench, startTools } from "../bench/bench.js";
import { startFinding } from "../bench/find-lines.js";
import { waitForPage } from "../bench/page-to-come.js";

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
waitForPage(say);
// A decision loads the page anew: it is read first, else the topic that is decided.
if (document.activeElement === document.body) [...bench.querySelectorAll("[data-begins]")].at(-1)?.focus({ preventScroll: true });
