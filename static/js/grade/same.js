// One's own grades of answers that say the same, or nearly the same, beside the item: `s` gives the grade again. Where the
// campaign has answers that are alike together, `a` gives it to all of them, and `x` leaves the one in hand out. What is
// compared are the lines of the list that are here: of a long list those that were loaded.
import { folded } from "../bench/list-words.js";

const SIGNS = /[\s.,;:!?"'“”‘’()]+/gu; // others, as those of C++ or 5 %, make another answer
const SAME = "Your grade of the same answer with another document: ";
const NEARLY = "Your grade of nearly the same: ";

const docnoOf = (line) => line.element.dataset.source ?? "";
const wordsOf = (line) => line.element.querySelector(".words").textContent;
const answerOf = (line) => (wordsOf(line).endsWith("…") ? "" : folded(wordsOf(line)).replace(SIGNS, " ").trim());
const likeOf = (line) => line.element.dataset.like ?? "";

/** `give(line, fields)` records a judgment; `nameOf(line)` names one. */
export function createSame({ bench, holder, list, say, give, nameOf }) {
  const areTogether = "likeTogether" in bench.dataset;
  const isExact = (one, other) => answerOf(one) !== "" && answerOf(one) === answerOf(other);
  const isLike = (one, other) => isExact(one, other) || (likeOf(one) !== "" && likeOf(one) === likeOf(other));
  const all = () => [...list.byId.values()];
  /** What comes a second time has the same document: nothing is said of it, and nothing given to it unseen. */
  const isTwice = (one, other) => one !== other && docnoOf(one) === docnoOf(other) && isExact(one, other);
  const others = (line) => all().filter((other) => other !== line && isLike(line, other) && !isTwice(line, other));

  const judged = (line) => (line.apart || (!docnoOf(line) && !likeOf(line)) ? []
    : others(line).filter((other) => list.isJudged(other) && !other.carried));
  const waiting = (line) => (!areTogether || line.apart ? []
    : others(line).filter((other) => !list.isSettled(other) && !other.flag && !other.apart && !all().some((each) => isTwice(other, each))));

  const saidOf = (line) => line.element.querySelector(".said").textContent;
  const current = () => list.get(holder.querySelector("input[name=item]").value);

  /** The button of the grade that all of them have, where one question is asked and it needs nothing beside it. */
  const gradeOf = (found) => {
    const grades = new Set(found.map((line) => JSON.stringify(line.values)));
    if (grades.size !== 1 || Number(bench.dataset.criteria) !== 1) return null;
    const [value] = Object.values(found[0].values);
    return [...holder.querySelectorAll("button[name=value]:enabled")].find((button) => button.value === String(value) && button.value !== "") ?? null;
  };

  const giveAll = () => {
    const line = current();
    const button = gradeOf(judged(line));
    if (!button || button.dataset.needs) return;
    const { criterion } = button.closest("[data-criterion]").dataset;
    const found = waiting(line);
    for (const each of found.toReversed()) { // so that undo goes back in the order of the list
      give(each, { criterion, value: Number(button.value), note: each.note, how: "like" });
    }
    button.click();
    say(`${button.dataset.grade}: given to this one and to ${found.length} like it. Undo (u) takes them back one by one.`);
  };

  const show = (line) => {
    const part = holder.querySelector("[data-same]");
    if (!part) return;
    const found = judged(line);
    const areSame = found.every((other) => isExact(line, other));
    const button = found.length ? gradeOf(found) : null;
    const like = button && !button.dataset.needs && line === current() && !list.isJudged(line) ? waiting(line) : [];
    part.hidden = !found.length;
    part.querySelector("[data-same-words]").textContent = (areSame ? SAME : NEARLY)
      + found.map((other) => `${areSame ? "" : `“${wordsOf(other)}” `}${saidOf(other)} (${list.placeOf(other)})`).join(", ");
    part.querySelector("[data-same-again]").hidden = !button;
    for (const each of part.querySelectorAll("[data-same-all], [data-same-apart]")) each.hidden = !like.length;
    part.querySelector("[data-same-like]").textContent = like.length
      ? `Not judged yet, and nearly the same: ${like.map((other) => `“${wordsOf(other)}” (${list.placeOf(other)})`).join(", ")}` : "";
  };

  holder.addEventListener("click", ({ target }) => {
    if (target.closest("[data-same-again]")) gradeOf(judged(current()))?.click();
    if (target.closest("[data-same-all]")) giveAll();
    if (!target.closest("[data-same-apart]")) return;
    current().apart = true;
    show(current());
    say(`${nameOf(current())} is judged by itself.`);
  });

  return { show };
}
