// Choosing sentences of a text by keys: j and k (or the arrows) go from sentence to sentence, with Shift they take more or
// fewer; n and p go to the next and the previous likely one; PageDown and PageUp go on by a screen, Home and End to the ends; → and ← move the end by a word, with Shift the
// beginning, to where they point, also where text runs from right to left; Enter takes what is chosen, Esc leaves.
import { onwardBy } from "./direction.js";
import { beside, bringIntoSight, firstInSight } from "./in-sight.js";
import { meant } from "./moved-keys.js";
import { nextWord } from "./next-word.js";
import { sentencesOf } from "./sentences.js";
import { rangeBetween, spanOf, units } from "./spans.js";
import { bothEnds } from "./status-line.js";
import { worded, written } from "../web/words.js";

/** Begin in the text of `holder`. `onTake(span)` gets what was chosen, `onLeave()` is called at the end, either way. */
export function startSentences(holder, { onTake, onLeave, say }) {
  const text = holder.textContent;
  const sentences = sentencesOf(text);
  if (!sentences.length) {
    onLeave();
    return () => {};
  }
  const likely = likelyOf(holder, text, sentences);
  let at = wasMoved(holder) ? -1 : 0; // which of the likely ones was shown last
  let first = likely[at] ?? firstInSight(holder, sentences);
  let last = first;
  let [from, to] = sentences[first];

  const show = () => {
    const range = rangeBetween(holder, from, to);
    const selection = document.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    bringIntoSight(holder, range);
    const many = last > first ? worded("{first} to {last}", { first: first + 1, last: last + 1 }) : first + 1;
    const place = first === last ? likely.indexOf(first) : -1;
    const rank = place < 0 ? "" : worded(", likely {place} of {likely}", { place: place + 1, likely: likely.length });
    say(worded("Sentence {many} of {sentences}{rank}: “{to}” Enter takes it, Esc leaves.", { many, sentences: sentences.length, rank, to: written(bothEnds(text.slice(from, to)), holder) }));
  };
  const choose = (begin, end) => {
    const before = `${from}-${to}`;
    first = Math.min(Math.max(begin, 0), sentences.length - 1);
    last = Math.min(Math.max(end, first), sentences.length - 1);
    [from, to] = [sentences[first][0], sentences[last][1]];
    if (`${from}-${to}` !== before || (begin === first && end === last)) show();
    else if (end >= sentences.length) say(worded("This is the last sentence."));
    else say(begin < 0 ? worded("This is the first sentence.") : worded("One sentence stays chosen."));
  };
  const moveEdge = (edge, key) => {
    const [began, ended] = [from, to];
    const before = edge === "end" ? to : from;
    const by = onwardBy(key, text, edge === "end" ? to - 1 : from);
    const word = nextWord(text, before, edge, by);
    const edges = sentences.map((each) => each[edge === "end" ? 1 : 0]).filter((each) => (each - before) * by > 0);
    const sentence = by > 0 ? edges[0] : edges.at(-1); // with its full stop, so that the key back leads where it was
    const at = sentence !== undefined && (word === before || (word - sentence) * by > 0) ? sentence : word;
    if (edge === "end" && at > from) to = at;
    if (edge === "begin" && at < to) from = at;
    if (from !== began || to !== ended) show();
    else if ((edge === "end") === by > 0) say(by > 0 ? worded("The text ends here.") : worded("The text begins here."));
    else say(worded("One word stays chosen."));
  };
  const goBy = (screens) => {
    const next = beside(holder, sentences, first, screens);
    choose(next, next);
  };
  const goLikely = (by) => {
    const wanted = at + by;
    if (!likely.length) say(worded("No sentence here is like what is judged."));
    else if (!(wanted in likely)) say(by > 0 ? worded("That was the last likely sentence.") : worded("That was the likeliest sentence."));
    else choose(likely[(at = wanted)], likely[at]);
  };
  const leave = () => {
    holder.removeEventListener("keydown", onKey);
    holder.removeAttribute("data-choosing");
    onLeave();
  };
  const take = () => {
    const span = spanOf(text, from, to);
    leave();
    onTake(span);
  };

  const ACTS = {
    ArrowDown: (more) => (more ? choose(first, last + 1) : choose(last + 1, last + 1)),
    ArrowUp: (more) => (more ? choose(first, last - 1) : choose(first - 1, first - 1)),
    ArrowRight: (begin) => moveEdge(begin ? "begin" : "end", "ArrowRight"),
    ArrowLeft: (begin) => moveEdge(begin ? "begin" : "end", "ArrowLeft"),
    PageDown: () => goBy(1),
    PageUp: () => goBy(-1),
    Home: () => choose(Math.min(0, last - 1), Math.min(0, last - 1)),
    End: () => choose(Math.max(sentences.length - 1, first + 1), Math.max(sentences.length - 1, first + 1)),
    n: () => goLikely(1),
    p: () => goLikely(-1),
    Enter: take,
    Escape: () => {
      leave();
      say(worded("No sentence taken."));
    },
  };
  ACTS.j = ACTS.J = ACTS.ArrowDown;
  ACTS.k = ACTS.K = ACTS.ArrowUp;
  const onKey = (event) => {
    const act = ACTS[meant(event)];
    if (event.ctrlKey || event.altKey || event.metaKey || !act) return;
    event.preventDefault();
    event.stopPropagation();
    act(event.shiftKey);
  };

  holder.addEventListener("keydown", onKey);
  holder.setAttribute("data-choosing", "");
  holder.focus({ preventScroll: true });
  show();
  return leave;
}

// The numbers of the sentences in which evidence is likely, the likeliest first: places in code points, said by the server.
// It cuts sentences a little otherwise, so each is the sentence here that has most of the place.
function likelyOf(holder, text, sentences) {
  const found = (holder.dataset.likely ?? "").split(" ").filter(Boolean).map((place) => {
    const [from, to] = place.split("-").map((each) => units(text, Number(each)));
    const common = sentences.map(([begin, end]) => Math.min(end, to) - Math.max(begin, from));
    return common.indexOf(Math.max(...common));
  });
  return [...new Set(found)];
}

// Whether the reader went elsewhere than where the document opened.
function wasMoved(holder) {
  return Math.abs(holder.scrollTop - Number(holder.dataset.openedAt ?? 0)) > 2;
}
