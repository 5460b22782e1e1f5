// Giving an answer by key or click: one that needs a note or a snippet waits on the page until that is there.
import { valueOf } from "./asked.js";
import { addAloud } from "./status-line.js";
import { chosenSaid, givenIn, outOfBounds, place } from "./given.js";
import { worded } from "../web/words.js";

/** `judge(line, said)` records, `current()` is the line in hand; the rest is the bench's own, its list and its form. */
export function createGiving({ own, form, list, recorder, item, say, go, judge, current }) {
  function give(line, { criterion, value, how, snippets }) {
    const wasJudged = list.isJudged(line);
    line.wanted = null;
    const before = judge(line, { criterion, value, note: form.note(criterion), how, snippets });
    const did = `${own.nameOf(line)} ${value === null ? worded("taken back") : recorder.namesOf(line)}`;
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
    if (bound) return void say(`${own.nameOf(line)} ${bound}`);
    const value = valueOf(button.value === "given" ? givenIn(asked) : button.value);
    if (button.value === "given" && value === (line.values[criterion] ?? null)) { // nothing else stands there
      if (value === null) say(worded("{line} there is no answer to keep yet.", { line: own.nameOf(line) }));
      return;
    }
    const lack = form.lackOf(line, criterion, value);
    if (!lack) return give(line, { criterion, value, how });
    line.wanted = { criterion, value };
    form.paint(line);
    say(`${own.nameOf(line)} ${lack}`);
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
    const told = outOfBounds(field.form);
    if (told) field.checked = false;
    if (field.name === "given_rank") place(field);
    say(`${own.nameOf(current())} ${told || chosenSaid(field.form)}`);
  }

  return { press, giveWanted, changeNote, choose };
}
