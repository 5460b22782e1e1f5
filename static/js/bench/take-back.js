// Taking back what was done last on a bench with a list: its line comes, and what stood there before is said again.
import { saidOfUndo } from "./undo.js";
import { worded } from "../web/words.js";

/** `judge` and `setLater` do again what is taken back; `nameOf(line)` is for the status line, `unjudged` as in lines.js. */
export function createTakeBack({ undo, form, moving, recorder, say, judge, setLater, nameOf, unjudged }) {
  return async () => {
    if (form.whyNot()) return void say(form.whyNot());
    const last = undo.pop();
    const line = last && (await moving.find(last.item));
    if (!line) return void (line === null ? undo.push(last) : say(worded("Nothing to undo.")));
    moving.go(line);
    if (last.isLater) return void setLater(line, true);
    if (last.isAsked) return void say(worded("A question that was sent can't be taken back."));
    const was = judge(line, { ...last, how: "key" }, true);
    form.paint(line);
    say(saidOfUndo({ name: nameOf(line), was, now: last, grade: recorder.namesOf(line), unjudged }));
  };
}
