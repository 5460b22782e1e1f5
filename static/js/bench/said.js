// What was said of a line of a work list: values, note, snippets, flag.
import { valueOf } from "./asked.js";

/** What stands in a line's element, as the server shows it. */
export function saidOf(element) {
  return {
    values: readValues(element.dataset.values),
    note: element.dataset.note ?? "",
    notes: JSON.parse(element.dataset.notes || "{}"), // of questions that have one of their own, but of the first
    evidence: JSON.parse(element.dataset.evidence || "{}"),
    flag: element.dataset.flag,
    carried: element.dataset.state === "carried", // judged by who had the work before
  };
}

/** Whether two say otherwise of a line. */
export function isOther(line, said) {
  const words = ({ values, note, notes, evidence, flag, later }) => [Object.entries(values).sort(), note, Object.entries(notes).sort(), flag, later, Object.entries(evidence)
    .filter(([, snippets]) => snippets.length).map(([key, snippets]) => [key, snippetWords(snippets)]).sort()];
  return JSON.stringify(words(line)) !== JSON.stringify(words(said));
}

/** What is compared of snippets: quote, value, and the label of those that have one. */
export function snippetWords(snippets) {
  return snippets.map(({ quote, value, label }) => [quote, value ?? null, ...(label ? [label] : [])]);
}

function readValues(text) {
  const pairs = text.split(";").filter(Boolean).map((pair) => pair.split("="));
  return Object.fromEntries(pairs.map(([key, value]) => [key, valueOf(decodeURIComponent(value))]));
}
