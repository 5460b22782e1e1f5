// The bench on which a topic is made: saves the draft when a field is left, and keeps what is marked in the document.
import { bindFinds, startMarking } from "./finds.js";
import { keepFinds } from "./finds-kept.js";
import { createKept } from "../web/kept.js";
import { startSaving } from "./saving.js";
import { findBench, startTools } from "../bench/bench.js";
import { waitForPage } from "../bench/page-to-come.js";
import { toBegin } from "../bench/to-work.js";
import { askServer } from "../web/asking.js";
import { worded } from "../web/words.js";

const { bench, say } = findBench();

startTools();
waitForPage(say);
bindFinds(bench);
startMarking({ bench, say });
const kept = createKept(document.body.dataset.person);
const isDraftBack = startSaving({ bench, kept, onSaved: refresh });
const isFindBack = keepFinds({ bench, kept });
if (isDraftBack || isFindBack) say(worded("What you had typed here is back."));
toBegin(); // each act loads the page anew: the document in hand is read first

// What was saved may hold another question: what can be found for it, and what it is like, is shown anew.
async function refresh() {
  const answer = await askServer(location.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const name of ["finds", "near", "title"]) {
    const [there, now] = [bench, page].map((root) => root.querySelector(`[data-draft-${name}]`));
    if (there && now && !there.querySelector("details[open]")) there.replaceWith(document.adoptNode(now));
  }
  bindFinds(bench);
}
