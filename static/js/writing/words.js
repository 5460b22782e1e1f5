// Marking words of a string by keys, for who uses no pointer.

const LETTER = /[\p{L}\p{N}]/u;
const SIGNS = 9; // in a row, at most
const isWithin = (holder, { focusNode }) => holder.contains(focusNode);

// Marks the next (or the last) word; with Shift one more. The selection itself shows what is marked.
export function markWords(holder, direction, extend) {
  const selection = document.getSelection();
  const isInside = holder.contains(selection.anchorNode) && !selection.isCollapsed;
  if (!isInside) {
    const range = document.createRange();
    range.selectNodeContents(holder);
    range.collapse(direction === "forward");
    selection.removeAllRanges();
    selection.addRange(range);
  } else if (!extend) {
    if (direction === "forward") selection.collapseToEnd();
    else selection.collapseToStart();
  }
  const before = selection.toString();
  const [anchor, at, focus, to] = [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset];
  selection.modify("extend", direction, "word");
  // Not a sign alone: of texts that are written without blanks the browser takes a full stop for a word.
  for (let tries = 0; !extend && tries < SIGNS && !LETTER.test(selection.toString()) && isWithin(holder, selection); tries++) {
    if (selection.toString().trim()) selection.collapse(selection.focusNode, selection.focusOffset);
    selection.modify("extend", direction, "word");
  }
  if (!LETTER.test(selection.toString())) selection.setBaseAndExtent(anchor, at, focus, to); // no word is left there
  if (!holder.contains(selection.focusNode)) selection.setBaseAndExtent(selection.anchorNode, selection.anchorOffset, holder.lastChild, holder.lastChild.length);
  trim(selection, before);
}

// Leaves out the space at either end of what is marked.
function trim(selection, before) {
  const text = selection.toString();
  if (!text.trim() || text === before) return;
  const range = selection.getRangeAt(0).cloneRange();
  if (range.startContainer !== range.endContainer) return;
  const isForward = selection.anchorOffset <= selection.focusOffset;
  const content = range.startContainer.textContent.slice(range.startOffset, range.endOffset);
  const from = range.startOffset + content.length - content.trimStart().length;
  const to = range.endOffset - (content.length - content.trimEnd().length);
  const node = range.startContainer;
  if (isForward) selection.setBaseAndExtent(node, from, node, to);
  else selection.setBaseAndExtent(node, to, node, from);
}
