// The frame of every bench: what it says, what it sends and what of that is on its way, and what all of them start.
import { stopSecondClicks } from "./clicks.js";
import { createFinish } from "./finish.js";
import { startFresh } from "./fresh.js";
import { keepWords } from "./kept-words.js";
import { keepKeys, startMarks } from "./marks.js";
import { createOutbox } from "./outbox.js";
import { startPanel } from "./panel.js";
import { createUndo } from "./undo.js";
import { tell, worded } from "../web/words.js";

const GONE = "no-longer-yours"; // the code of the refusal where the work was given to somebody else
const WRITES = "[data-act]:not([data-act=across], [data-act=document]), [data-verb] > summary, [data-freeze] > summary, [data-edit-form] button, [data-draft-do], [data-move], [data-add-source], [data-found-open], [data-ask-open], [data-ask] > summary";
const FIELDS = "[data-note], [name^=given_], #own-label";

/** The bench of this page, and `say(text)` for its status line. */
export function findBench() {
  const bench = document.querySelector(".workbench");
  return { bench, say: (text) => tell(bench.querySelector("[data-did]"), text) };
}

/** What a page with a bench starts: marks in documents, keys that come back from a frame, the panel beside the work, no second clicks. */
export function startTools() {
  stopSecondClicks(findBench().bench);
  startMarks();
  keepKeys();
  startPanel();
}

/**
 * The bench of this page with its outbox. `onAnswer(entry, json)` and `onRefused(entry, json)` hear of what was sent from
 * it. Before `onRefused` what was shown of the change is taken back; after it the status line says why it was refused, and
 * of what, where it is not what lies on the bench any more and `onRefused` gives its name and number: {of, place, isBack}, the
 * last where what was typed stands in its field again.
 */
export function openBench({ onAnswer, onRefused = () => {} }) {
  const { bench, say } = findBench();
  const undo = createUndo(bench);
  keepWords(bench, say);
  let gone = ""; // why nothing can be written any more: what would write says so and opens no field
  bench.addEventListener("click", (event) => {
    if (!gone || !event.target.closest(WRITES)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    say(gone);
  }, { capture: true });
  let lost = 0; // how much was refused for that: the last would hide the others
  const going = new Map(); // client_key -> {thing, what, back} of what waits for its answer
  // Shows again what stood before a change that was refused: where the same was said anew since, once that is refused, too.
  const takeBack = ({ fields }) => {
    const { thing, what, back } = going.get(fields.client_key) ?? {};
    going.delete(fields.client_key);
    const later = [...going.values()].find((each) => thing && each.thing === thing && each.what === what);
    if (!later) return void back?.();
    const after = later.back;
    later.back = () => { after(); back(); };
  };
  const outbox = createOutbox({
    person: document.body.dataset.person,
    status: bench.querySelector("[data-save-status]"),
    onAnswer(entry, json) {
      going.delete(entry.fields.client_key);
      onAnswer(entry, json);
    },
    onRefused(entry, json) {
      takeBack(entry);
      undo.drop(entry.fields.client_key);
      if (json.code === GONE) {
        undo.clear();
        gone = bench.dataset.whyNot = json.detail;
        for (const field of bench.querySelectorAll(FIELDS)) field.disabled ||= field !== document.activeElement; // what is typed there is read
      }
      const { of, place, isBack } = onRefused(entry, json) ?? {};
      if (gone) lost += 1;
      const way = of && place && !gone ? worded("To do it again: # {place} Enter.", { place }) : "";
      const why = [of && `${of}.`, json.detail, way].filter(Boolean).join(" ");
      say(lost > 1 ? worded("Not saved ({number} in all): {why}", { number: lost, why }) : worded("Not saved: {why}", { why }));
      return isBack;
    },
  });

  return {
    bench, say, outbox, undo,
    finish: createFinish({ bench, outbox, say }),

    /** Send a change of `thing`, or of `what` of it; `back()` shows again what stood there before. */
    send(url, fields, { thing, what = url, back } = {}) {
      const entry = outbox.send({ url, fields });
      going.set(entry.fields.client_key, { thing, what, back });
      return entry;
    },

    /** Whether a change of `thing` still waits for its answer. */
    isPending: (thing) => [...going.values()].some((change) => change.thing === thing),

    /** Once the bench has bound its own keys: `take(found)` as in fresh.js; `shows` are tools that need this script. */
    start({ take, shows = "[data-undo]" }) {
      startTools();
      startFresh({ bench, outbox, say, take });
      for (const tool of bench.querySelectorAll([shows, "[data-key=Home], [data-key=End]"].filter(Boolean).join(", "))) tool.hidden = false;
    },
  };
}

/** A question to the organiser is sent by `act(form)`, not by the browser. */
export function onAsk(bench, act) {
  bench.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-ask-form]")) return;
    event.preventDefault();
    act(event.target);
  });
}
