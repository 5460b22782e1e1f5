// The adjudication bench: a key decides, the list moves on.
import { startContext } from "../bench/context.js";
import { openLines } from "../bench/lines.js";
import { quoteOf } from "../bench/status-line.js";
import { quoted, worded } from "../web/words.js";

const lines = openLines({
  nameOf: (line) => `${quoted(quoteOf(line.link.querySelector("bdi")))}:`,
  unjudged: worded("undecided"),
  nothingLeft: () => (lines.bench.querySelector("[data-next-page]") ? worded("Open the next page of the list for more.") : worded("All are decided.")),
  begin(line, isNew) {
    if (isNew) startContext();
    line.about = lines.holder.querySelector("[name=about]")?.value; // the nugget's words, as they are in sight
    const place = lines.holder.querySelector("[data-position]");
    if (place) place.textContent = worded(" {index} of {total}", { index: lines.list.placeOf(line), total: lines.bench.dataset.listed });
  },
  needsValue: true,
  ahead: 1, // others settle the same: what comes from long before may be settled by now
});
lines.start();
