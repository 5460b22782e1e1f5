// Writing what the assessor says: shown at once, sent through the outbox, put back when the server refuses it.
import { askedKeys, readAsks, wordsOf } from "./asked.js";
import { snippetWords } from "./said.js";
import { worded } from "../web/words.js";

export function createRecorder({ frame, list, onChange, onStored }) {
  const { bench, isPending } = frame;
  const assignment = bench.dataset.assignment;
  const asks = readAsks(bench);
  const [first] = (asks ?? []).map((each) => each.key).concat(bench.querySelector("[data-criterion]")?.dataset.criterion);
  const names = new Map([...bench.querySelectorAll("[data-grade], [data-option]")].map((button) =>
    [`${button.closest("[data-criterion]").dataset.criterion}=${button.value}`, button.dataset.grade ?? button.dataset.option]));
  let seconds = Number(bench.dataset.seconds);
  let timed = Number(bench.dataset.timed);

  const takesEvidence = new Set((bench.dataset.takesEvidence ?? "").split(" ").filter(Boolean));

  const send = (line, url, fields, back) => {
    const what = fields.criterion ?? url;
    const { client_key: key } = frame.send(url, { item: line.id, assignment, ...fields }, { thing: line, what, back }).fields;
    onChange(line);
    return key;
  };

  const isOther = (criterion, hasOwnNote) => hasOwnNote && criterion !== first; // whose note is not that of the line
  const setNote = (line, criterion, note, hasOwnNote) => {
    if (isOther(criterion, hasOwnNote)) line.notes[criterion] = note;
    else line.note = note;
  };

  return {
    /** Show what the site stored, unless something newer is on its way. `needsValue`: without a value there is no note. */
    takeAnswer({ fields }, json, hasOwnNote = false, needsValue = false) {
      const line = list.get(json.item);
      if (!line) return;
      if (!isPending(line) && json.criterion && fields.assignment === assignment) {
        setValue(line, json.criterion, json.value);
        if (fields.evidence !== undefined) line.evidence[json.criterion] = JSON.parse(fields.evidence); // sent by a page that was left, too
        if (fields.note !== undefined) setNote(line, json.criterion, needsValue && json.value === null ? "" : fields.note, hasOwnNote);
      }
      onStored(line, json);
      if (json.criterion) bench.dispatchEvent(new CustomEvent("assay-judged", { detail: line }));
      onChange(line);
    },

    /** Show what was put back, and return its line, which keeps the note that was typed. */
    takeRefusal({ fields: { item, criterion, note = "", client_key: key } }, noteOf = first) {
      const line = list.get(item);
      const isNewest = criterion && (line?.sent?.[criterion] ?? key) === key;
      const kept = noteOf === first ? line?.note : line?.notes[noteOf] ?? "";
      if (line && isNewest && note !== kept) line.unsent = { ...line.unsent, [noteOf]: note };
      if (line) onChange(line);
      return { line, isNewest };
    },

    /** The grades given to a line, in words. */
    namesOf(line) {
      const asked = asks ? askedKeys(asks, line.values) : null;
      const said = Object.entries(line.values).filter(([criterion]) => !asked || asked.includes(criterion));
      return said.map(([criterion, value]) => names.get(`${criterion}=${value}`)
        ?? wordsOf(value, (each) => names.get(`${criterion}=${each}`))).join(", ");
    },

    pace: () => (timed ? worded("{timed} s a judgment", { timed: Math.round(seconds / timed) }) : ""),

    /** Record a value, a note and snippets; gives back what was there before, and the key of what is sent. `hasOwnNote`: the note is of this question alone; `draft`: a machine's judgment is in sight. */
    record(line, { criterion, value, note, evidence, how, spent, hasOwnNote, draft }) {
      const snippets = line.evidence[criterion] ?? [];
      const noted = isOther(criterion, hasOwnNote) ? line.notes[criterion] ?? "" : line.note;
      const before = { value: line.values[criterion] ?? null, note: noted, noteOf: hasOwnNote ? criterion : first, unsent: line.unsent, evidence: snippets };
      const { flag } = line;
      setValue(line, criterion, value);
      line.evidence[criterion] = evidence ?? snippets;
      setNote(line, criterion, note, hasOwnNote);
      if (value !== null && value !== before.value && spent !== "") {
        seconds += spent;
        timed += 1;
      }
      const shown = { value: before.value };
      if (bench.dataset.criteria === "1" || hasOwnNote) shown.note = before.note;
      if (takesEvidence.has(criterion)) shown.evidence = snippetWords(snippets);
      const fields = { criterion, value: value ?? "", note, how, seconds: spent, shown: JSON.stringify(shown) };
      if (draft) fields.draft = draft;
      if (line.about !== undefined) fields.about = line.about;
      if (takesEvidence.has(criterion)) fields.evidence = JSON.stringify(line.evidence[criterion]);
      delete line.unkept[criterion];
      const sent = send(line, bench.dataset.judge, fields, () => {
        Object.assign(line, { unsent: before.unsent, flag });
        setNote(line, criterion, before.note, hasOwnNote);
        line.evidence[criterion] = snippets;
        setValue(line, criterion, before.value);
      });
      line.sent = { ...line.sent, [criterion]: sent };
      return { ...before, sent };
    },

    /** Send a question about a line, and return the key of what is sent. */
    ask(line, text) {
      const { note, flag, unsent } = line;
      line.flag = "asked";
      return send(line, bench.dataset.ask, { text }, () => Object.assign(line, { note, flag, unsent }));
    },
  };
}

function setValue(line, criterion, value) {
  line.carried = false;
  if (value === null || value === undefined) delete line.values[criterion];
  else line.values[criterion] = value;
}
