// What the keys and buttons of the grouping bench do: each looks at what is chosen, and sends one edit.
import { askLabel } from "./label.js";
import { createTypedNumber } from "../bench/typed-number.js";
import { worded } from "../web/words.js";

const { noun, nouns } = document.querySelector("[data-class-bench]").dataset; // what one of those that are grouped is called
const valuesOf = (boxes) => boxes.map((box) => box.value).join(",");

/** `send(action, fields, boxes)` sends an edit, and `count()` gives how many stand before it: those that were seen when its name was asked for; `say(text)` tells, `sayPlace(text)` where one is; `keyOf()` is the key that was pressed last;
 * `typing(text)` keeps "saved" from being said over what is being typed. */
export function createActs({ bench, board, send, count, say, sayPlace, keyOf, typing }) {
  function chosenItems(inside = "") {
    const boxes = board.items().filter((box) => !inside || box.closest(inside));
    if (!boxes.length) say(inside ? worded("Choose {nouns} of a class first, with Space.", { nouns })
      : /^[aeiou]/.test(noun) ? worded("Choose an {noun} first: j and k go to one, Space chooses it.", { noun }) : worded("Choose a {noun} first: j and k go to one, Space chooses it.", { noun }));
    return boxes;
  }

  async function create() {
    const [boxes, shown] = [chosenItems(), count()];
    if (!boxes.length) return;
    const label = await askLabel({ title: worded("New class"), value: boxes[0].dataset.text, of: boxes[0].value, about: boxes.length > 1 ? `${boxes.length} ${nouns}` : "" });
    if (label) send("create", { item: valuesOf(boxes), label, shown }, boxes);
  }

  /** Send with the first answer's text as the name of a class; asked for where a class has it. At once otherwise: a key that was held behind this one goes after it. */
  async function sendNamed(boxes, title, action, fields) {
    let label = boxes[0].dataset.text;
    const isTaken = board.all.some((view) => view.dataset.label === label);
    if (isTaken) label = await askLabel({ title, value: label, of: boxes[0].value, about: worded("There is a class with this name: give this one another.") });
    if (label) send(action, { item: valuesOf(boxes), label, ...fields }, boxes);
  }

  function createNamed() {
    const [boxes, shown] = [chosenItems(), count()];
    if (boxes.length) sendNamed(boxes, worded("New class"), "create", { shown });
  }

  function split() {
    const [boxes, shown] = [chosenItems("[data-class]"), count()];
    if (!boxes.length) return;
    const views = new Set(boxes.map((box) => box.closest("[data-class]")));
    if (views.size > 1) {
      say(worded("Choose {nouns} of one class to split off.", { nouns }));
      return;
    }
    sendNamed(boxes, worded("A class of its own"), "split", { from: [...views][0].dataset.class, shown });
  }

  async function rename() {
    const [view, ...more] = board.classes(1);
    if (!view || more.length) {
      say(more.length ? worded("Choose one class to rename.") : worded("Go to a class first, with l and j."));
      return;
    }
    const shown = count();
    const label = await askLabel({ title: worded("Rename class {number}", { number: view.dataset.number }), value: view.dataset.label, of: `class ${view.dataset.class}` });
    if (label && label !== view.dataset.label) send("rename", { class: view.dataset.class, label, shown });
  }

  function merge() {
    const views = board.classes(2);
    if (views.length < 2) say(worded("Choose one class with Space, go to the other, and press m."));
    else send("merge", { class: views.map((view) => view.dataset.class).join(",") }, views.flatMap((view) => [...view.querySelectorAll("[data-box]")]));
  }

  function remove() {
    const boxes = chosenItems("[data-class], [data-is-found]"); // what was found by others before may be no answer
    if (boxes.length) send("remove", { item: valuesOf(boxes) }, boxes);
  }

  function accept(ids) {
    const boxes = ids.split(",").map((id) => bench.querySelector(`[data-box][name=item][value="${id}"]`)).filter(Boolean);
    if (boxes.length) send("suggest", { accept: ids }, boxes);
    else say(worded("Go to a line that is not grouped yet."));
  }

  function openDocument() {
    const row = board.here();
    const link = (row?.closest("[data-class]:has([data-here] > label > [name=class])") ?? row)?.querySelector("[data-document-link]");
    if (!link) {
      document.querySelector("#side-panel[open] [data-panel-close]")?.click(); // not another line's document
      say(row?.querySelector(".docno") ? worded("This document is not loaded into the campaign.") : worded("There is no document for this line."));
      board.focus();
    } else {
      link.click();
      board.focus();
    }
  }

  const digit = createTypedNumber({
    numbers: () => board.all.map((view) => view.dataset.number),
    hold() {
      const boxes = chosenItems();
      return boxes.length ? boxes : null;
    },
    show(typed, dropped = "") {
      typing(typed && worded("class {typed}_", { typed }));
      say(typed ? worded("Into class {typed}_: Enter takes it, Esc drops it", { typed }) : dropped && worded("Class {dropped}_ dropped: nothing was put into it.", { dropped }));
    },
    choose(number, boxes) {
      const view = board.all.find((each) => each.dataset.number === number);
      if (view) send("assign", { item: valuesOf(boxes), into: view.dataset.class }, boxes);
      else say(worded("There is no class {number}.", { number }));
    },
  });

  return {
    create, split, "create-named": createNamed, rename, merge, remove,
    accept: () => accept(board.side === "waiting" ? board.here()?.closest("[data-group]")?.dataset.group ?? "" : ""),
    "accept-group": (button) => accept(button.value),
    "accept-all": (button) => (bench.querySelector(".answer-row[hidden]") ? say(worded("Only some {nouns} are shown: show all of them first, with / and Esc.", { nouns })) : accept(button.value)),
    put: () => (/\d/.test(keyOf()) ? digit(keyOf()) : say(worded("Type the number of the class."))),
    undo: () => send("undo", {}),
    redo: () => send("redo", {}),
    across: () => sayPlace(board.across()),
    document: openDocument,
  };
}
