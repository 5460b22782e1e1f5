// What can be taken back, newest last; kept for as long as the tab is open, so that a reload does not forget it.
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

function read(store) {
  try { return JSON.parse(sessionStorage.getItem(store)) ?? []; } catch { return []; }
}
