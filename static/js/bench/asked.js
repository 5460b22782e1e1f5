// Which questions are asked of a line, as others of it are answered: the same rule as `asked_criteria` of the server.
import { writtenNumber } from "../web/numbers.js";
import { worded } from "../web/words.js";

/** What the bench says of its questions; null where each is asked of every line, and has to be answered. */
export function readAsks(bench) {
  return bench.dataset.asks ? JSON.parse(bench.dataset.asks) : null;
}

/** The keys of the questions that are asked, in their order. */
export function askedKeys(asks, values) {
  const known = new Set();
  for (const { key, if: conditions } of asks) {
    const holds = (condition) => condition.every(([name, wanted]) => known.has(name) && wanted.includes(values[name]));
    if (!conditions.length || conditions.some(holds)) known.add(key);
  }
  return [...known];
}

/** Whether everything is answered that is asked of a line and has to be. */
export function isAnswered(asks, values) {
  const required = new Set(asks.filter((each) => each.required).map((each) => each.key));
  return askedKeys(asks, values).every((key) => !required.has(key) || values[key] !== undefined);
}

/** What a button of a question says: the value of a grade, the word of who can't tell, or null to take back. */
export function valueOf(text) {
  if (text === "") return null;
  return text === "unsure" || text.startsWith("{") ? text : Number(text);
}

/** An answer without a grade in words; `nameOf(value)` is what one of several is called. */
export function wordsOf(value, nameOf) {
  if (!String(value).startsWith("{")) return value;
  const given = JSON.parse(value);
  if (given.rank) return given.rank.map(nameOf).join(" > ");
  return given.several ? given.several.map(nameOf).join(" + ") || worded("none of them") : String(given.text ?? writtenNumber(given.number)).slice(0, 90);
}
