// One's own grade of the same answer with another document, beside the item; one key gives it again. What is compared are the
// lines of the list that are here: of a long list those that were loaded.
import { folded } from "../bench/list-words.js";

const SIGNS = /[\s.,;:!?"'“”‘’()]+/gu; // others, as those of C++ or 5 %, make another answer

const docnoOf = (line) => line.element.dataset.source;
const answerOf = (line) => {
  const text = line.element.querySelector(".words").textContent;
  return text.endsWith("…") ? "" : folded(text).replace(SIGNS, " ").trim();
};

export function createSame({ bench, holder, list }) {
  /** Lines with the same answer and another document that one judged. What comes a second time has the same document. */
  const others = (line) => {
    const answer = docnoOf(line) && answerOf(line);
    if (!answer) return [];
    return [...list.byId.values()].filter((other) => list.isJudged(other) && !other.carried && docnoOf(other) !== docnoOf(line) && answerOf(other) === answer);
  };
  const saidOf = (line) => line.element.querySelector(".said").textContent;

  /** The button of the grade that all of them have, where one question is asked. */
  const gradeOf = (found) => {
    const grades = new Set(found.map((line) => JSON.stringify(line.values)));
    if (grades.size !== 1 || Number(bench.dataset.criteria) !== 1) return null;
    const [value] = Object.values(found[0].values);
    return [...holder.querySelectorAll("button[name=value]:enabled")].find((button) => button.value === String(value)) ?? null;
  };

  holder.addEventListener("click", (event) => {
    if (event.target.closest("[data-same-again]")) gradeOf(others(list.get(holder.querySelector("input[name=item]").value)))?.click();
  });

  return {
    show(line) {
      const part = holder.querySelector("[data-same]");
      if (!part) return;
      const found = others(line);
      part.hidden = !found.length;
      part.querySelector("[data-same-words]").textContent = found.map((other) => `${saidOf(other)} (${list.placeOf(other)})`).join(", ");
      part.querySelector("[data-same-again]").hidden = !gradeOf(found);
    },
  };
}
