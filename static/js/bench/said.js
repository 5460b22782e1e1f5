// What was said of a line of a work list: values, note, snippets, flag.
/** What stands in a line's element, as the server shows it. */
export function saidOf(element) {
  return {
    values: readValues(element.dataset.values),
    note: element.dataset.note ?? "",
    evidence: JSON.parse(element.dataset.evidence || "{}"),
    flag: element.dataset.flag,
    carried: element.dataset.state === "carried", // judged by who had the work before
  };
}

/** Whether two say otherwise of a line. */
export function isOther(line, said) {
  const words = ({ values, note, evidence, flag }) => [Object.entries(values).sort(), note, flag, Object.entries(evidence)
    .filter(([, snippets]) => snippets.length).map(([key, snippets]) => [key, snippetWords(snippets)]).sort()];
  return JSON.stringify(words(line)) !== JSON.stringify(words(said));
}

/** What is compared of snippets: quote and value. */
export function snippetWords(snippets) {
  return snippets.map(({ quote, value }) => [quote, value ?? null]);
}

function readValues(text) {
  const pairs = text.split(";").filter(Boolean).map((pair) => pair.split("="));
  return Object.fromEntries(pairs.map(([key, value]) => [key, Number(value)]));
}
