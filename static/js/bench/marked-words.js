// Which words are marked on a page, as a source of a nugget names them.
import { selectedSpan } from "./spans.js";

/** Where the selected words stand: fields of a source ({item} or {docno}, quote, span), or null. */
export function readMarked() {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.anchorNode) return null;
  const { anchorNode } = selection;
  const from = anchorNode instanceof Element ? anchorNode : anchorNode.parentElement;
  const holder = from?.closest("[data-words], [data-text]");
  const span = holder && selectedSpan(holder, selection);
  if (!span || !span.quote.trim()) return null;
  if (holder.matches("[data-words]")) {
    return { item: holder.closest("[data-string]").dataset.string, quote: span.quote, span: JSON.stringify(span) };
  }
  const { document: docno } = holder.parentElement.querySelector("[data-document]").dataset;
  return { docno, quote: span.quote, span: JSON.stringify({ ...span, text_sha256: holder.dataset.textSha256 }) };
}
