// The ordered picks: which one is in hand, and how they are shown.
import { worded } from "../web/words.js";
export function createPicked(bench) {
  const list = bench.querySelector("[data-picked]");
  const lines = () => [...list.querySelectorAll("[data-picked-item]")];
  const idOf = (line) => Number(line.dataset.pickedItem);
  const isDone = bench.dataset.done !== undefined;
  let current = null;
  let hadFocus = false; // a line that is not there any more

  const select = (id, focus = hadFocus) => {
    current = id ?? null;
    for (const line of lines()) {
      if (idOf(line) !== current) line.removeAttribute("aria-current");
      else {
        line.setAttribute("aria-current", "true");
        line.scrollIntoView({ block: "nearest" });
        hadFocus = false;
        if (focus) line.focus({ preventScroll: true });
      }
    }
  };
  list.addEventListener("focusin", (event) => {
    const line = event.target.closest("[data-picked-item]");
    if (line) select(idOf(line));
  });

  return {
    ids: () => lines().map(idOf),
    current: () => current,
    select,
    /** To the pick after or before; whether there is one. */
    step(by) {
      const ids = lines().map(idOf);
      const at = ids.indexOf(current);
      const next = at < 0 ? ids[0] : Number.isFinite(by) ? ids[at + by] : ids.at(by > 0 ? -1 : 0);
      const isOther = next !== undefined && next !== current;
      if (isOther) select(next, true);
      return isOther;
    },
    set(picks) {
      hadFocus ||= list.contains(document.activeElement);
      list.replaceChildren(...picks.map(({ id, label }) => lineOf(id, label, isDone)));
      select(current);
      if (hadFocus && !picks.length) bench.querySelector("[data-answer]").focus({ preventScroll: true });
      hadFocus &&= picks.length > 0;
    },
  };
}

function lineOf(id, label, isDone) {
  const line = document.createElement("li");
  line.dataset.pickedItem = id;
  line.tabIndex = 0;
  const words = document.createElement("span");
  words.className = "picked-label";
  words.textContent = label;
  words.dir = "auto";
  words.lang = (document.querySelector(`[data-label="${id}"] [lang]`) ?? document.querySelector("[data-labels]")).lang;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "quiet", textContent: worded("take out"), disabled: isDone });
  button.setAttribute("aria-label", worded("Take out {label}", { label }));
  line.append(words, button);
  return line;
}
