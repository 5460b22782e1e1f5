// What is said of a line of a work list: whether it is judged, and which filters show it.
import { isAnswered, readAsks } from "./asked.js";

export function readLineStates(bench) {
  const criteria = Number(bench.dataset.criteria);
  const asks = readAsks(bench);

  const isJudged = (line) => (asks ? isAnswered(asks, line.values) : Object.keys(line.values).length === criteria);
  const isSettled = (line) => isJudged(line) || line.flag === "excused";
  const stateOf = (line) => {
    if (isJudged(line)) return line.carried ? "carried" : "judged";
    if (line.flag === "excused") return "excused";
    if (line.flag) return "flagged";
    return line.later ? "later" : "open";
  };
  const hasNote = (line) => Boolean(line.note) || [line.notes, line.unsent].some((notes) => Object.values(notes).some(Boolean));
  const belongs = (line, filter) => {
    if (filter === "unjudged") return !isSettled(line);
    return filter !== "flagged" || Boolean(line.flag) || hasNote(line) || (line.later && !isSettled(line));
  };

  return { isJudged, isSettled, stateOf, belongs };
}
