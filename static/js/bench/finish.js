// "Mark as done" on every bench: it is sent only when all else is saved, and says what is left while something is.
import { worded } from "../web/words.js";

/** The form of the bench (none where the work is done): `paint(left, words)` shows it once nothing is left. */
export function createFinish({ bench, outbox, say }) {
  const form = bench.querySelector("[data-finish]");
  form?.addEventListener("submit", (event) => {
    if (!outbox.waiting) return;
    event.preventDefault();
    say(worded("Saving first. The work is marked as done as soon as all is saved."));
    outbox.whenSent(({ refused }) => {
      if (refused || form.hidden) say(worded("Not marked as done. {whyNot}", { whyNot: refused || form.dataset.whyNot }));
      else form.requestSubmit();
    });
  });
  return {
    paint(left, words = howMany(left)) {
      if (!form) return;
      form.hidden = left > 0;
      form.dataset.whyNot = words;
    },
  };
}

/** "2 are not judged yet." */
export function howMany(left, done = worded("judged")) {
  return left === 1 ? worded("1 is not {done} yet.", { done }) : worded("{left} are not {done} yet.", { left, done });
}
