// What a bench with a list says of its progress.
// data-done-elsewhere and data-total-elsewhere count what is not in its list, data-done-word says what is done.
export function showProgress(bench, list, pace, finish) {
  const done = list.done + Number(bench.dataset.doneElsewhere ?? 0);
  const total = list.total + Number(bench.dataset.totalElsewhere ?? 0);
  bench.querySelector("[data-progress]").value = done;
  bench.querySelector("[data-progress-words]").textContent = `${done} of ${total} ${bench.dataset.doneWord ?? "judged"}`;
  bench.querySelector("[data-pace]").textContent = pace;
  finish.paint(list.total - list.done);
}

/** Where nothing is open any more: what waits for an answer, or that all is judged. */
export function whatIsLeft(list) {
  const left = list.total - list.done;
  if (!left) return "All are judged: press f to mark the work as done.";
  const it = left === 1 ? "it" : "them";
  return `${left} ${left === 1 ? "waits" : "wait"} for the organiser's answer; all others are judged. You may judge ${it} all the same.`;
}
