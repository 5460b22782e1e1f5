// What is right of an item whose answer was known, once it is judged, where the design wants that: it stays until it is closed.
import { tell } from "../web/words.js";

export function createKnown({ bench, nameOf }) {
  const box = document.querySelector("[data-known]");
  box?.querySelector("[data-known-close]").addEventListener("click", () => {
    box.hidden = true;
    bench.querySelector("[data-answer]")?.focus({ preventScroll: true });
  });
  return {
    show(line, json) {
      if (!box || !json.known) return;
      tell(box.querySelector("[data-known-words]"), `${nameOf(line)} ${json.known}`);
      box.hidden = false;
    },
  };
}
