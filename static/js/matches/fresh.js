// What was marked in another window, taken over from the bench as the server shows it now.
import { createMarks } from "./marks.js";

const wordsOf = ({ marks, state }) => JSON.stringify([[...marks.values()].map(({ number, part, value, quote }) => [number, part, value, quote]).sort(), state]);

/** Whether anything else was said of any string that is here; what is on its way from here stays. */
export function takeMarks({ marks, found, isPending }) {
  if (!marks.isSame(found)) location.reload(); // the pool grew, and responses stand elsewhere
  const now = createMarks(found);
  let isOther = marks.takeOutline(found.querySelector("[data-strings]"));
  for (const { dataset } of marks.responses.flatMap((response) => response.strings ?? [])) {
    const [item, other] = [marks.item(dataset.string), now.item(dataset.string)];
    if (!other || isPending(item) || wordsOf(item) === wordsOf(other)) continue;
    Object.assign(item, { marks: other.marks, state: other.state });
    isOther = true;
  }
  return isOther;
}

/** The response in hand as the server has it now, where the bench that it shows begins with another one. */
export async function takeCurrent({ marks, others, found, response, isPending, repaint }) {
  if (!response || found.querySelector(`[data-index="${response.index}"]`)) return;
  const own = await others.again(response).catch(() => null);
  if (own?.querySelector("[data-index]") && takeMarks({ marks, found: own, isPending })) repaint();
}
