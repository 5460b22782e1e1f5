// Giving an answer by key or click: one that needs a note or a snippet waits on the page until that is there.
import { valueOf } from "./asked.js";
import { addAloud } from "./status-line.js";
import { isSending, leave } from "./to-work.js";
import { chosenSaid, givenIn, outOfBounds, place, showTyping, typedIn } from "./given.js";
import { worded } from "../web/words.js";

const WRITTEN = "[name=given_text], [name=given_number]";

/** `judge(line, said)` records, `current()` is the line in hand; the rest is the bench's own, its list and its form. */
export function createGiving({ bench, own, form, list, recorder, item, say, go, judge, paint, current }) {
  function give(line, { criterion, value, how, snippets }) {
    const wasJudged = list.isJudged(line);
    line.wanted = null;
    const before = judge(line, { criterion, value, note: form.note(criterion), how, snippets });
    const did = `${own.nameOf(line)} ${value === null ? worded("undone") : recorder.namesOf(line)}`;
    say(did);
    if (value === null || own.stays?.(line, criterion, value, before)) return;
    if (form.goOn(line, criterion, wasJudged)) addAloud(form.asked());
    else if (list.isJudged(line) && item.movesOn()) go(list.nextOpen(line), `${did}. `);
  }

  function press(button, how) {
    const line = current();
    const asked = button.closest("[data-criterion]") ?? form.activeForm();
    const { criterion } = asked.dataset;
    const bound = button.value === "given" ? outOfBounds(asked, true) : "";
    if (bound) {
      say(`${own.nameOf(line)} ${bound}`);
      const given = typedIn(asked);
      return void (given && refuse(line, criterion, { given, why: bound }));
    }
    const value = valueOf(button.value === "given" ? givenIn(asked) : button.value);
    if (button.value === "given" && value === (line.values[criterion] ?? null)) { // nothing else stands there
      delete line.unkept[criterion];
      form.paint(line);
      if (value === null) say(worded("{line} there is no answer to keep yet.", { line: own.nameOf(line) }));
      return;
    }
    const lack = form.lackOf(line, criterion, value);
    if (!lack) return give(line, { criterion, value, how });
    line.wanted = { criterion, value };
    form.paint(line);
    say(`${own.nameOf(line)} ${lack}`);
    asked.querySelector("[data-evidence-keys]")?.scrollIntoView({ block: "nearest" });
  }

  /** What was typed stays in its field, with why it was not taken; the focus, too, unless one went on to another item. */
  function refuse(line, criterion, unkept) {
    line.unkept[criterion] = unkept;
    form.paint(line);
    setTimeout(() => { if (line === current()) form.toGiven(criterion); }); // after what took the focus away
  }

  /** The answer that waited for a note or a snippet, given where these are there now; whether there was one. */
  function giveWanted(criterion, snippets) {
    const line = current();
    const { wanted } = line;
    if (wanted?.criterion !== criterion) return false;
    const evidence = snippets ? { ...line.evidence, [criterion]: snippets } : line.evidence;
    const lack = form.lackOf({ ...line, evidence }, criterion, wanted.value);
    if (!lack) give(line, { ...wanted, how: "key", snippets });
    return !lack;
  }

  function keep(line, criterion, field) {
    line.unsent = { ...line.unsent, [criterion]: field.value };
    paint(line);
  }

  function changeNote(field) {
    const line = current();
    const { criterion } = field.form.dataset;
    if (giveWanted(criterion)) return;
    const value = line.values[criterion] ?? null;
    if (value === null && own.needsValue) return keep(line, criterion, field); // it goes with the value
    if (field.value && form.refusesNote(line, criterion)) return keep(line, criterion, field); // it goes with the grade that waits
    judge(line, { criterion, value, note: field.value, how: "key" });
    say(worded("{line} note kept", { line: own.nameOf(line) }));
  }

  /** An option was ticked or taken out: one too many is not taken. */
  function choose(field) {
    delete current().unkept[field.form.dataset.criterion];
    const told = outOfBounds(field.form);
    if (told) field.checked = false;
    if (field.name === "given_rank") place(field);
    say(`${own.nameOf(current())} ${told || chosenSaid(field.form)}`);
  }

  const noteSeen = item.seen(changeNote);
  bench.addEventListener("change", ({ target }) => {
    if (target.matches(WRITTEN)) target.form.querySelector("[value=given]").click();
    if (target.matches("[name=given_several], [name=given_rank]")) choose(target);
    if (target.matches("[data-note]") && target.value !== form.noteOf(current(), target)) noteSeen(target);
  });
  bench.addEventListener("input", ({ target }) => { if (target.matches(WRITTEN)) showTyping(target.form); });
  bench.addEventListener("keydown", (event) => { // Enter is a new line of a text
    if (!event.target.matches("[name=given_text]") || !isSending(event)) return;
    event.preventDefault();
    leave(event.target);
  });

  addEventListener("pagehide", () => { // to leave the page is to leave its field
    if (document.activeElement?.matches(`[data-note], ${WRITTEN}`)) document.activeElement.blur();
  });

  return { press, giveWanted, refuse };
}
