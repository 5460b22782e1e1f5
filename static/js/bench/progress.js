// What a bench says of its progress, and the table of what a click does.
// data-done-elsewhere and data-total-elsewhere count what is not in its list, data-done-word says what is done.
export function showProgress(bench, list, pace, finish) {
  const done = list.done + Number(bench.dataset.doneElsewhere ?? 0);
  const total = list.lines.length + Number(bench.dataset.totalElsewhere ?? 0);
  bench.querySelector("[data-progress]").value = done;
  bench.querySelector("[data-progress-words]").textContent = `${done} of ${total} ${bench.dataset.doneWord ?? "judged"}`;
  bench.querySelector("[data-pace]").textContent = pace;
  finish.paint(list.lines.length - list.done);
}

/** Where nothing is open any more: what waits for an answer, or that all is judged. */
export function whatIsLeft(list) {
  const left = list.lines.length - list.done;
  if (!left) return "All are judged: press f to mark the work as done.";
  const it = left === 1 ? "it" : "them";
  return `${left} ${left === 1 ? "waits" : "wait"} for the organiser's answer; all others are judged. You may judge ${it} all the same.`;
}

/** A click does what stands beside the first selector that it fits; with a modifier it is the browser's own. */
export function onClicks(root, actions) {
  root.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    for (const [selector, act] of actions) {
      const element = event.target.closest(selector);
      if (!element) continue;
      event.preventDefault();
      act(element, event);
      return;
    }
  });
}
