// What was marked in another window, taken over from the bench as the server shows it now.
import { createMarks } from "./marks.js";

const wordsOf = ({ marks, state }) => JSON.stringify([[...marks.values()].map(({ number, part, value, quote }) => [number, part, value, quote]).sort(), state]);

/** Whether anything else was said of any string; what is on its way from here stays. */
export function takeMarks({ marks, found, isPending }) {
  const now = createMarks(found);
  let isOther = false;
  for (const { dataset } of marks.responses.flatMap((response) => response.strings)) {
    const [item, other] = [marks.item(dataset.string), now.item(dataset.string)];
    if (!other || isPending(item) || wordsOf(item) === wordsOf(other)) continue;
    Object.assign(item, { marks: other.marks, state: other.state });
    isOther = true;
  }
  return isOther;
}
