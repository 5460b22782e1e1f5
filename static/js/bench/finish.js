// "Mark as done" on every bench: it is sent only when all else is saved, and says what is left while something is. The site is
// asked without leaving the bench, so that one that is older than it looks stays, is shown anew, and says why it is not done.
import { post } from "./outbox-post.js";
import { worded } from "../web/words.js";

/** The form of the bench (none where the work is done): `paint(left, words)` shows it once nothing is left. */
export function createFinish({ bench, outbox, say }) {
  const form = bench.querySelector("[data-finish]");
  const sayNot = (whyNot) => say(worded("Not marked as done. {whyNot}", { whyNot }));
  let asking = false;

  const ask = async () => {
    if (asking) return;
    asking = true;
    const { kind, why, json } = await post({ url: form.action, fields: {} }, document.body.dataset.person);
    asking = false;
    if (kind === "answered") return void form.submit(); // which says so on the next page: done again changes nothing
    sayNot(why ?? json.detail);
    if (kind === "refused") dispatchEvent(new Event("assay-unseen"));
  };

  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!outbox.waiting) return void ask();
    say(worded("Saving first. The work is marked as done as soon as all is saved."));
    outbox.whenSent(({ refused }) => {
      if (refused || form.hidden) sayNot(refused || form.dataset.whyNot);
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
