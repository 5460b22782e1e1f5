// What a bench with a list says of its progress.
// data-done-elsewhere and data-total-elsewhere count what is not in its list, data-done-word says what is done.
import { worded } from "../web/words.js";
export function showProgress(bench, list, pace, finish) {
  const done = list.done + Number(bench.dataset.doneElsewhere ?? 0);
  const total = list.total + Number(bench.dataset.totalElsewhere ?? 0);
  bench.querySelector("[data-progress]").value = done;
  bench.querySelector("[data-progress-words]").textContent = worded("{done} of {total} {judged}", { done, total, judged: bench.dataset.doneWord ?? worded("judged") });
  bench.querySelector("[data-pace]").textContent = pace;
  finish.paint(list.total - list.done);
}

/** Take over the bench as the server shows it now, with the items that came in; whether anything else is otherwise. */
export function takeOver(found, { bench, list, paint, refresh, say }) {
  const before = list.total;
  const isOther = list.takeOver(found, paint);
  const came = list.total - before;
  if (came <= 0) return isOther;
  bench.querySelector("[data-progress]").max = list.total;
  refresh();
  say(came === 1 ? worded("1 item came in: it is in the list now.") : worded("{came} items came in: they are in the list now.", { came }));
  return false;
}

/** Where nothing else is open: what waits for an answer, or that all is judged. */
export function whatIsLeft(list, current) {
  const left = list.total - list.done;
  if (current && !list.isSettled(current) && current.flag !== "asked") return worded("No other item is open.");
  if (!left) return document.querySelector("[data-finish]") ? worded("All are judged: press f to mark the work as done.") : worded("All are judged.");
  return left === 1 ? worded("1 waits for the organiser's answer; all others are judged. You may judge it all the same.")
    : worded("{left} wait for the organiser's answer; all others are judged. You may judge them all the same.", { left });
}
