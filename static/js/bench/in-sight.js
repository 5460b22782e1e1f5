// Which sentences of a text are in sight in its box, and bringing one there.
import { rangeBetween } from "./spans.js";

export function firstInSight(holder, sentences) {
  const { top } = holder.getBoundingClientRect();
  const found = sentences.findIndex(([, to]) => rangeBetween(holder, to - 1, to).getBoundingClientRect().bottom > top);
  return Math.max(found, 0);
}

// The sentence that stands a screen below or above another one, and at least the next one.
export function beside(holder, sentences, from, screens) {
  const top = (at) => rangeBetween(holder, sentences[at][0], sentences[at][0] + 1).getBoundingClientRect().top;
  const wanted = top(from) + screens * holder.clientHeight * 0.9;
  const goesDown = screens > 0;
  let near = from; // not a screen away
  let far = goesDown ? sentences.length : -1; // a screen away, or beyond the end
  while (Math.abs(far - near) > 1) {
    const middle = (near + far) >> 1;
    if (goesDown ? top(middle) < wanted : top(middle) > wanted) near = middle;
    else far = middle;
  }
  return far; // "choose" keeps it inside
}

export function bringIntoSight(holder, range) {
  const box = holder.getBoundingClientRect();
  const place = range.getBoundingClientRect();
  if (place.top < box.top) holder.scrollTop -= box.top - place.top + 24;
  else if (place.bottom > box.bottom) holder.scrollTop += Math.min(place.bottom - box.bottom + 24, place.top - box.top);
}
