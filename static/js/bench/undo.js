// What can be taken back, newest last; kept for as long as the tab is open, so that a reload does not forget it.
import { worded } from "../web/words.js";

const LIMIT = 600; // one key may grade two hundred alike by three questions

export function createUndo(bench) {
  const store = `assay.undo.${bench.dataset.assignment}`;
  const steps = read(store);
  const keep = () => {
    try { sessionStorage.setItem(store, JSON.stringify(steps)); } catch { /* until the page is left */ }
  };
  return {
    /** `sent` are the client keys of what the step sent. */
    push(step, ...sent) {
      steps.push({ ...step, sent });
      if (steps.length > LIMIT) steps.shift();
      keep();
    },

    /** This was refused: where all of a step was, there is nothing to take back. */
    drop(key) {
      const at = steps.findLastIndex((step) => step.sent?.includes(key));
      if (at < 0) return;
      steps[at].sent = steps[at].sent.filter((each) => each !== key);
      if (!steps[at].sent.length) steps.splice(at, 1);
      keep();
    },

    clear() {
      steps.length = 0;
      keep();
    },

    pop() {
      const step = steps.pop();
      keep();
      return step;
    },
  };
}

/** Whether an answer is another one than what stood there `before`. */
export function isChange(before, { value, note, snippets = before.evidence }) {
  return String(before.value) !== String(value) || before.note !== note || JSON.stringify(before.evidence) !== JSON.stringify(snippets);
}

/** What is said where `was`, a value, a note and snippets, became `now` again; `grade` is what is said of the line now, if anything. */
export function saidOfUndo({ name, was, now, grade, unjudged }) {
  const more = now.snippets.length - was.evidence.length;
  const isSame = String(was.value) === String(now.value);
  if (!more && isSame && was.note !== now.note) return worded("Undone: the note about {line} is as it was", { line: name });
  if (!more || !isSame) {
    return grade ? worded("Undone: {line}: {grade}", { line: name, grade }) : worded("Undone: {line} is {unjudged}", { line: name, unjudged });
  }
  return more < 0 ? worded("Undone: the snippet is taken out of {line}", { line: name }) : worded("Undone: the snippet is back in {line}", { line: name });
}

function read(store) {
  try { return JSON.parse(sessionStorage.getItem(store)) ?? []; } catch { return []; }
}
