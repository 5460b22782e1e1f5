// Spans are counted in code points of the stored text, as Python counts them. JavaScript counts UTF-16 units:
// codePoints() and units() are the only two places where one becomes the other.
const CONTEXT = 32;

/** How many code points stand before this UTF-16 offset. */
export function codePoints(text, unit) {
  let count = 0;
  for (let at = 0; at < unit && at < text.length; count += 1) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return count;
}

/** The UTF-16 offset after this many code points. */
export function units(text, points) {
  let at = 0;
  for (let count = 0; count < points && at < text.length; count += 1) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

/** The part of the container's text that is selected, with a little on both sides; null where nothing is. */
export function selectedSpan(container, selection = document.getSelection()) {
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!container.contains(range.startContainer) || !container.contains(range.endContainer)) return null;
  const text = container.textContent;
  return spanOf(text, unitsBefore(container, range.startContainer, range.startOffset),
    unitsBefore(container, range.endContainer, range.endOffset));
}

/** A span of a text from two UTF-16 offsets; half a surrogate pair is widened to the whole character. */
export function spanOf(text, from, to) {
  const begin = isInsidePair(text, from) ? from - 1 : from;
  const end = isInsidePair(text, to) ? to + 1 : to;
  if (begin >= end) return null;
  const start = codePoints(text, begin);
  const stop = start + codePoints(text.slice(begin, end), end - begin);
  return {
    start,
    end: stop,
    quote: text.slice(begin, end),
    prefix: text.slice(units(text, Math.max(0, start - CONTEXT)), begin),
    suffix: text.slice(end, units(text, stop + CONTEXT)),
  };
}

/** The range of an element's text between two UTF-16 offsets. */
export function rangeBetween(element, from, to) {
  const range = document.createRange();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let passed = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.data.length;
    if (from >= passed && from <= passed + length) range.setStart(node, from - passed);
    if (to >= passed && to <= passed + length) {
      range.setEnd(node, to - passed);
      return range;
    }
    passed += length;
  }
  return null;
}

/** Spans stand out in an element's text, where the browser can do that without changing it, until others do. */
export function paintSpans(element, spans) {
  if (!globalThis.CSS?.highlights) return;
  const text = element?.textContent ?? "";
  const ranges = element ? spans.filter(({ start }) => start >= 0).map(({ start, end }) => rangeBetween(element, units(text, start), units(text, end))) : [];
  CSS.highlights.set("evidence", new Highlight(...ranges.filter(Boolean)));
}

function unitsBefore(container, node, offset) {
  const before = document.createRange();
  before.selectNodeContents(container);
  before.setEnd(node, offset);
  const holder = before.cloneContents();
  return holder.textContent.length;
}

function isInsidePair(text, at) {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
