// The grading bench: a key judges, snippets of the document go with the judgment, a pool may grow meanwhile.
import { onAsk } from "../bench/bench.js";
import { openLines } from "../bench/lines.js";
import { whatIsLeft } from "../bench/progress.js";
import { quoteOf } from "../bench/status-line.js";
import { createEvidence } from "./evidence.js";
import { createKnown } from "./known.js";
import { createMore } from "./more.js";
import { createSame } from "./same.js";
import { quoted, worded } from "../web/words.js";

const lines = openLines({
  nameOf,
  unjudged: worded("unjudged"),
  nothingLeft: whatIsLeft,
  begin(line) {
    lines.holder.querySelector("[data-position]").textContent = worded(" {index} of {total}", { index: line.index + 1, total: list.total });
    const place = lines.holder.querySelector("#thing-place"); // has the focus where there is no text of an answer
    if ("answer" in place.dataset) place.ariaDescription = (lines.holder.querySelector(".response-text") ?? line.link.querySelector(".words")).textContent.trim();
    evidence.begin(line);
    same.begin(line);
  },
  paint: (line) => evidence.paint(line),
  stays: (line, criterion, value, before) => evidence.remind(line, criterion, value, before.value),
  onStored(line, json) {
    known.show(line, json);
    more();
  },
});
const { bench, say, list, go } = lines;
const evidence = createEvidence({
  holder: lines.holder, form: lines.form, say,
  onChange(line, criterion, snippets) {
    if (lines.giveWanted(criterion, snippets)) return true;
    const note = lines.form.note(criterion);
    lines.judge(line, { criterion, value: line.values[criterion] ?? null, note, how: "key", snippets });
    return false;
  },
  showText: () => lines.open(`?item=${lines.current.id}&view=text`),
});
const known = createKnown({ bench, nameOf });
const same = createSame({ bench, holder: lines.holder, list, say, nameOf, give: lines.judge, send: lines.send });
const more = createMore({
  bench, list,
  refresh: lines.refresh,
  goOn: () => { if (list.isSettled(lines.current) && lines.movesOn()) go(list.nextOpen(lines.current)); },
});

function nameOf(line) {
  return `${line.index + 1} ${quoted(quoteOf(line.link.querySelector(".words")))}:`;
}

onAsk(bench, (form) => {
  const line = lines.current;
  lines.ask(line, form.elements.text.value);
  say(worded("{line} asked the organiser", { line: nameOf(line) }));
  go(list.nextOpen(line), worded("{line} asked the organiser. ", { line: nameOf(line) }));
});
bench.addEventListener("click", ({ target }) => { // where one comes back to, the same is shown
  const link = target.closest("[data-filter-by]");
  if (!link || !lines.current) return;
  bench.dataset.kept = link.dataset.filterBy === "all" ? "" : `filter=${link.dataset.filterBy}&`;
  history.replaceState(null, "", `${bench.dataset.base}?${bench.dataset.kept}item=${lines.current.id}`);
});
lines.start();
