// A bench with a list of what is judged: one line is in hand, a key judges it, the list moves on, nothing is lost.
import { openBench } from "./bench.js";
import { onClicks } from "./clicks.js";
import { createForm } from "./form.js";
import { createGiving } from "./giving.js";
import { startZoom } from "./image-zoom.js";
import { startItem } from "./item.js";
import { howOf } from "./keys.js";
import { createJump } from "./jump.js";
import { createList } from "./list.js";
import { createLongList } from "./long-list.js";
import { createMoving } from "./moving.js";
import { newSnippets } from "./outbox-kept.js";
import { createParts } from "./parts.js";
import { showProgress, takeOver } from "./progress.js";
import { createRecorder } from "./record.js";
import { createTakeBack } from "./take-back.js";
import { createTimer } from "./timer.js";
import { isChange } from "./undo.js";
import { worded } from "../web/words.js";

/**
 * `own` is what the bench adds: `nameOf(line)` for the status line, `unjudged` for a line without a value, `nothingLeft(list)`
 * where no line is open. Where it wants them: `begin(line, isNew)` and `paint(line)` after the frame's own, `stays(line,
 * criterion, value, before)` to remain on a line that was judged, `onStored(line, json)` after an answer, `needsValue` where a note is
 * stored with a value alone, `ahead` how many of the next two items are fetched in advance, if not both.
 */
export function openLines(own) {
  const frame = openBench({ onRefused, onAnswer: (entry, json) => recorder.takeAnswer(entry, json, form.hasOwnNote(entry.fields.criterion), own.needsValue) });
  const { bench, say, undo, finish } = frame;
  const list = bench.querySelector("[data-rest]") ? createLongList(frame) : createList(frame);
  const timer = createTimer();
  const item = startItem(frame, { onBegin, list });
  const form = createForm(item.holder);
  const parts = createParts(item, say);
  const moving = createMoving({ item, list, say, begin, current: () => current });
  const { go } = moving;
  const recorder = createRecorder({ frame, list, onChange: paint, onStored: (line, json) => own.onStored?.(line, json) });
  const { press, giveWanted, refuse } = createGiving({ bench, own, form, list, recorder, item, say, go, judge, paint, current: () => current });
  const takeBack = createTakeBack({ undo, form, moving, recorder, say, judge, setLater, nameOf: withoutColon, unjudged: own.unjudged });
  const jump = createJump({ bench, list, say, moving, current: () => current, search: () => list.search(filter, current) });
  let filter = bench.dataset.filter;
  let current = list.get(bench.querySelector("[data-item] > a[aria-current]")?.parentElement.dataset.item);

  function onRefused(entry, { detail: why }) {
    const { criterion, value } = entry.fields;
    const { line, isNewest } = recorder.takeRefusal(entry, form.hasOwnNote(criterion) ? criterion : undefined);
    if (line && isNewest && String(value).startsWith("{")) refuse(line, criterion, { given: JSON.parse(value), why });
    return { isBack: Boolean(line && criterion) && !newSnippets(entry).length, ...(line && line !== current && { of: withoutColon(line), place: list.placeOf(line) }) };
  }

  function withoutColon(line) { return own.nameOf(line).replace(/:$/, ""); }

  function onBegin(line, isNew) {
    if (isNew) {
      form.begin(line);
      parts.begin();
    }
    own.begin?.(line, isNew);
  }

  function judge(line, { criterion, value, note, how, snippets }, isTakenBack) {
    const spent = how === "like" ? "" : Math.round((line.seconds + timer.take()) * 10) / 10; // which nobody looked at alone
    if (how !== "like") line.seconds = 0;
    const hasOwnNote = form.hasOwnNote(criterion);
    const draft = line === current && item.holder.querySelector(`[data-drafts="${CSS.escape(criterion)}"] .draft`) ? "open" : "";
    const before = recorder.record(line, { criterion, value, note, how, spent, evidence: snippets, hasOwnNote, draft });
    if (!isTakenBack && isChange(before, { value, note, snippets })) {
      undo.push({ item: line.id, criterion, value: before.value, note: before.unsent[before.noteOf] ?? before.note, snippets: before.evidence }, before.sent);
    }
    line.unsent = { ...line.unsent, [before.noteOf]: own.needsValue && value === null ? note : undefined }; // without a value it waits on the page
    if (own.needsValue && value === null) line.note = "";
    return before;
  }

  function begin(line, did) {
    if (!line) return void say(did + own.nothingLeft(list, current));
    if (current) current.seconds += timer.take();
    current = line;
    list.filter(filter, line);
    list.select(line);
    item.show(line, list.following(line).slice(0, own.ahead));
  }

  function paint(line) {
    list.paint(line, recorder.namesOf(line));
    form.paint(current);
    own.paint?.(current);
    showProgress(bench, list, recorder.pace(), finish);
  }

  function setLater(line, isBack = false) {
    const isNew = !isBack && !line.later;
    const sent = list.later.set(line, isBack);
    if (isNew) undo.push({ item: line.id, isLater: true }, ...sent);
    paint(line);
    say(isBack ? worded("Undone: {line} is not for later any more", { line: withoutColon(line) }) : worded("{nameOf} for later", { nameOf: own.nameOf(line) }));
    if (!isBack) go(list.nextOpen(line));
  }

  onClicks(bench, [
    ["[data-undo]", takeBack],
    ["[data-later]", item.seen(() => setLater(current))],
    ["button[name=value]", item.seen((button, event) => press(button, howOf(event)))],
    ["[data-view]", (link) => item.open(link.href)],
    ["[data-criterion-step]", (button) => say(form.step(Number(button.dataset.criterionStep)))],
    ["[data-step=open]", jump.open],
    ["[data-step]", (link) => jump.step(Number(link.dataset.step))],
    ["[data-filter-by]", (link) => { filter = link.dataset.filterBy; list.chooseFilter(link); }],
    ["[data-item] > a", (link) => go(list.get(link.parentElement.dataset.item))],
  ]);

  return {
    bench, say, list, form, judge, giveWanted, go, holder: item.holder, open: item.open,
    ask: (line, text) => undo.push({ item: line.id, isAsked: true }, recorder.ask(line, text)),
    send: frame.send,
    movesOn: item.movesOn,
    get current() { return current; },

    /** Show the list and the line in hand again. */
    refresh() {
      list.filter(filter, current);
      paint(current);
    },

    /** Put the first line on the bench, once what the bench adds is there. */
    async start() {
      startZoom();
      frame.start({ take: (found) => takeOver(found, { bench, list, paint, say, refresh: () => this.refresh() }), shows: ".workbench:not([data-closed]) [data-undo]" });
      list.later.takeOver();
      for (const line of list.lines) if (line.later) list.paint(line, recorder.namesOf(line));
      current ??= await moving.laid();
      if (!current) return;
      item.begin(current, list.following(current).slice(0, own.ahead));
      paint(current);
      list.select(current);
      if (document.activeElement === document.body) item.holder.querySelector("[data-answer]")?.focus({ preventScroll: true });
      item.early.goOn();
    },
  };
}
