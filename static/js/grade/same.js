// One's own grades of answers that say the same, or nearly the same, beside the item: `s` gives the grade again. Where the
// campaign has answers that are alike together, `a` gives it to all of them, and `x` leaves the one in hand out, and takes it
// in again; the server keeps that. Of a long list those lines are fetched that say nearly the same; where they don't come, that is said.
import { valueOf } from "../bench/asked.js";
import { folded } from "../bench/list-words.js";
import { quoted, tell, worded, written } from "../web/words.js";

const SIGNS = /[\s.,;:!?"'“”‘’()]+/gu; // others, as those of C++ or 5 %, make another answer
const SAME = worded("Your grade of the same answer with another document: ");
const NEARLY = worded("Your grade of nearly the same: ");
const COMING = worded("This answer is still being compared with the whole list. Press the key again in a moment.");
const IN_PART = worded("The list can't be loaded now: this answer was compared with a part of it only.");

const docnoOf = (line) => line.element.dataset.source ?? "";
const wordsOf = (line) => line.element.querySelector(".words").textContent;
const quoteOf = (line) => quoted(written(wordsOf(line), line.element.querySelector(".words")));
const answerOf = (line) => (wordsOf(line).endsWith("…") ? "" : folded(wordsOf(line)).replace(SIGNS, " ").trim());
const likeOf = (line) => line.element.dataset.like ?? "";
const isApart = (line) => "apart" in line.element.dataset;

/** `give(line, fields)` records a judgment; `nameOf(line)` names one; `send` posts to the server. */
export function createSame({ bench, holder, list, say, give, nameOf, send }) {
  const areTogether = "likeTogether" in bench.dataset;
  const isExact = (one, other) => answerOf(one) !== "" && answerOf(one) === answerOf(other);
  const isLike = (one, other) => isExact(one, other) || (likeOf(one) !== "" && likeOf(one) === likeOf(other));
  const all = () => [...list.byId.values()];
  /** What comes a second time has the same document: nothing is said of it, and nothing given to it unseen. */
  const isTwice = (one, other) => one !== other && docnoOf(one) === docnoOf(other) && isExact(one, other);
  const others = (line) => all().filter((other) => other !== line && isLike(line, other) && !isTwice(line, other));

  const judged = (line) => (isApart(line) || (!docnoOf(line) && !likeOf(line)) ? []
    : others(line).filter((other) => list.isJudged(other) && !other.carried));
  const waiting = (line) => (!areTogether || isApart(line) ? []
    : others(line).filter((other) => !list.isSettled(other) && !other.flag && !isApart(other) && !all().some((each) => isTwice(other, each))));

  const saidOf = (line) => line.element.querySelector(".said").textContent;
  const current = () => list.get(holder.querySelector("input[name=item]").value);

  /** The buttons of the grades that all of them have, question by question; none where they differ, or one of them needs something beside it. */
  const gradesOf = (found) => {
    const grades = new Set(found.map((line) => JSON.stringify(Object.entries(line.values).sort())));
    if (grades.size !== 1) return [];
    const { values } = found[0];
    const forms = [...holder.querySelectorAll("[data-criterion]")].filter((form) => form.dataset.criterion in values);
    const buttons = forms.map((form) => [...form.querySelectorAll("button[name=value]:enabled")]
      .find((button) => button.value !== "" && button.value === String(values[form.dataset.criterion])));
    const isWhole = buttons.length === Object.keys(values).length && buttons.every((button) => button && !button.dataset.needs);
    return isWhole ? buttons : [];
  };
  const namesOf = (buttons) => buttons.map((button) => button.dataset.grade).join(", ");
  const giveTo = (line, buttons, how) => {
    const given = buttons.map((button) => [button.closest("[data-criterion]").dataset.criterion, valueOf(button.value)]);
    given.forEach(([criterion, value], at) => give(line, { criterion, value, note: at ? line.notes[criterion] ?? "" : line.note, how }));
  };
  /** The last of them is pressed, so that the bench goes on as after any judgment. */
  const giveHere = (buttons) => {
    giveTo(current(), buttons.slice(0, -1), "key");
    buttons.at(-1)?.click();
  };

  const giveAll = () => {
    const line = current();
    const buttons = gradesOf(judged(line));
    if (!buttons.length) return;
    const found = waiting(line);
    for (const each of found.toReversed()) giveTo(each, buttons, "like"); // so that undo goes back in the order of the list
    giveHere(buttons);
    say(worded("{buttons}: given to this one and to {found} like it. Undo (u) takes them back one by one.", { buttons: namesOf(buttons), found: found.length }));
  };

  const setApart = () => {
    const line = current();
    const back = isApart(line);
    const set = (apart) => {
      line.element.toggleAttribute("data-apart", apart);
      show(line);
    };
    set(!back);
    const fields = { item: line.id, assignment: bench.dataset.assignment, why: "apart", ...(back ? { back: "1" } : {}) };
    if (bench.dataset.setAside) send(bench.dataset.setAside, fields, { thing: line, back: () => set(back) });
    say(back ? worded("{name} is with those like it again.", { name: nameOf(line) }) : worded("{name} is judged by itself. x takes it in again.", { name: nameOf(line) }));
  };

  const compared = new Map(); // likeness -> the age of the list that was compared for it
  /** Show what is known, and once the whole list was compared, all of it. */
  const begin = (line) => {
    const like = likeOf(line);
    const isWhole = !list.compare || !like || compared.get(like) === list.age;
    show(line, isWhole ? "" : COMING);
    if (!isWhole) list.compare(line).then(() => { compared.set(like, list.age); show(line); }, () => show(line, IN_PART));
  };

  const show = (line, inPart = "") => {
    const part = holder.querySelector("[data-same]");
    if (!part || line !== current()) return;
    part.dataset.whyNot = inPart; // to who presses a key of it
    const found = judged(line);
    const areSame = found.every((other) => isExact(line, other));
    const buttons = found.length && inPart !== COMING ? gradesOf(found) : [];
    const like = buttons.length && !list.isJudged(line) ? waiting(line) : [];
    const apart = areTogether && isApart(line);
    part.hidden = !found.length && !apart;
    tell(part.querySelector("[data-same-words]"), apart ? worded("You judge this one by itself.") : (inPart === IN_PART ? `${IN_PART} ` : "") + (areSame ? SAME : NEARLY)
      + found.map((other) => `${areSame ? "" : `${quoteOf(other)} `}${saidOf(other)} (${list.placeOf(other)})`).join(", "));
    part.querySelector("[data-same-again]").hidden = !buttons.length;
    part.querySelector("[data-same-all]").hidden = !like.length;
    const leave = part.querySelector("[data-same-apart]");
    leave.hidden = !like.length && !apart;
    leave.firstChild.data = apart ? worded("take it in again ") : worded("leave this one out ");
    tell(part.querySelector("[data-same-like]"), like.length
      ? worded("Not judged yet, and nearly the same: {others}", { others: like.map((other) => `${quoteOf(other)} (${list.placeOf(other)})`).join(", ") }) : "");
  };

  holder.addEventListener("click", ({ target }) => {
    if (target.closest("[data-same-again]")) giveHere(gradesOf(judged(current())));
    if (target.closest("[data-same-all]")) giveAll();
    if (target.closest("[data-same-apart]")) setApart();
  });

  return { begin };
}
