// Writing what the assessor says: shown at once, sent through the outbox, put back when the server refuses it.
import { snippetWords } from "./list.js";
import { createOutbox } from "./outbox.js";

export function createRecorder({ bench, list, onChange, onStored, say }) {
  const assignment = bench.dataset.assignment;
  const changes = new Map(); // client_key -> what to go back to
  const names = new Map([...bench.querySelectorAll("[data-grade]")].map((button) =>
    [`${button.closest("[data-criterion]").dataset.criterion}=${button.value}`, button.dataset.grade]));
  let seconds = Number(bench.dataset.seconds);
  let timed = Number(bench.dataset.timed);

  const settle = (entry, line, change) => {
    if (!line) return;
    line.pending = Math.max(0, line.pending - 1);
    change(changes.get(entry.fields.client_key));
    changes.delete(entry.fields.client_key);
    onChange(line);
  };

  const takesEvidence = new Set((bench.dataset.takesEvidence ?? "").split(" ").filter(Boolean));
  const outbox = createOutbox({
    person: document.body.dataset.person,
    status: bench.querySelector("[data-save-status]"),
    onAnswer: (entry, json) => settle(entry, list.get(json.item), () => {
      const line = list.get(json.item);
      if (line.pending === 0 && json.criterion && entry.fields.assignment === assignment) {
        setValue(line, json.criterion, json.value);
      }
      onStored?.();
      if (json.criterion) bench.dispatchEvent(new CustomEvent("assay-judged", { detail: line }));
    }),
    onRefused: (entry, json) => settle(entry, list.get(entry.fields.item), (before) => {
      if (before) {
        Object.assign(before.line, { note: before.note, unsent: before.unsent, flag: before.flag });
        if (before.criterion) before.line.evidence[before.criterion] = before.evidence;
        setValue(before.line, before.criterion, before.value);
      }
      say(`Not saved: ${json.detail}`);
    }),
  });

  const send = (line, url, fields, before) => {
    line.pending += 1;
    const entry = outbox.send({ url, fields: { item: line.id, assignment, ...fields } });
    changes.set(entry.fields.client_key, before);
    onChange(line);
  };

  return {
    outbox,

    /** The grades given to a line, in words. */
    namesOf: (line) => Object.entries(line.values).map(([criterion, value]) => names.get(`${criterion}=${value}`) ?? value).join(", "),

    pace: () => (timed ? `${Math.round(seconds / timed)} s each` : ""),

    /** Record a value, a note and snippets; gives back what was there before. */
    judge(line, { criterion, value, note, evidence, how, spent }) {
      const snippets = line.evidence[criterion] ?? [];
      const before = { line, criterion, value: line.values[criterion] ?? null, note: line.note, unsent: line.unsent, evidence: snippets, flag: line.flag };
      setValue(line, criterion, value);
      line.evidence[criterion] = evidence ?? snippets;
      line.note = note;
      if (value !== null && value !== before.value) {
        seconds += spent;
        timed += 1;
        list.setLater(line, false);
      }
      const shown = { value: before.value };
      if (bench.dataset.criteria === "1") shown.note = before.note;
      if (takesEvidence.has(criterion)) shown.evidence = snippetWords(snippets);
      const fields = { criterion, value: value ?? "", note, how, seconds: spent, shown: JSON.stringify(shown) };
      if (takesEvidence.has(criterion)) fields.evidence = JSON.stringify(line.evidence[criterion]);
      send(line, bench.dataset.judge, fields, before);
      return before;
    },

    ask(line, text) {
      const before = { line, note: line.note, flag: line.flag };
      line.flag = "asked";
      send(line, bench.dataset.ask, { text }, before);
    },
  };
}

function setValue(line, criterion, value) {
  if (!criterion) return;
  line.carried = false;
  if (value === null || value === undefined) delete line.values[criterion];
  else line.values[criterion] = value;
}
