// What can be taken back, newest last; kept for as long as the tab is open, so that a reload does not forget it.
import { worded } from "../web/words.js";

const LIMIT = 200;

export function createUndo(bench) {
  const store = `assay.undo.${bench.dataset.assignment}`;
  const steps = read(store);
  const keep = () => {
    try { sessionStorage.setItem(store, JSON.stringify(steps)); } catch { /* until the page is left */ }
  };
  return {
    push(step) {
      steps.push(step);
      if (steps.length > LIMIT) steps.shift();
      keep();
    },
    pop() {
      const step = steps.pop();
      keep();
      return step;
    },
  };
}

/** What is said where `was`, a value and snippets, became `now` again; `grade` is what is said of the line now, if anything. */
export function saidOfUndo({ name, was, now, grade, unjudged }) {
  const more = now.snippets.length - was.evidence.length;
  if (!more || String(was.value) !== String(now.value)) {
    return grade ? worded("Undone: {line}: {grade}", { line: name, grade }) : worded("Undone: {line} is {unjudged}", { line: name, unjudged });
  }
  return more < 0 ? worded("Undone: the snippet is taken out of {line}", { line: name }) : worded("Undone: the snippet is back in {line}", { line: name });
}

function read(store) {
  try { return JSON.parse(sessionStorage.getItem(store)) ?? []; } catch { return []; }
}
