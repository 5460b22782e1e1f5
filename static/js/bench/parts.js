// The strings of a whole response: which one is in hand, and its documents.
import { quoteOf } from "./status-line.js";
import { worded } from "../web/words.js";
export function createParts({ holder, open, close }, say) {
  const all = () => [...holder.querySelectorAll("[data-part]")];
  const current = () => holder.querySelector("[data-part][aria-current]");

  const select = (part) => {
    if (!part) return;
    current()?.removeAttribute("aria-current");
    part.setAttribute("aria-current", "true");
    part.scrollIntoView({ block: "nearest" });
  };
  const step = (by) => {
    const parts = all();
    const at = parts.indexOf(current());
    select(parts[at + by] ?? (at < 0 ? parts[0] : null));
    const place = parts.indexOf(current()) + 1;
    if (parts[at + by] || at < 0) say(worded("Text {place} of {parts}: {said}", { place, parts: parts.length, said: quoteOf(current().querySelector(".response-text"), 160) }));
    else say(by > 0 ? worded("This is the last text of the response.") : worded("This is the first text of the response."));
  };
  const forget = () => {
    for (const other of holder.querySelectorAll("[data-is-open]")) other.removeAttribute("data-is-open");
  };
  const openDocument = async (link) => {
    if (!link) return;
    forget();
    link.setAttribute("data-is-open", "");
    await open(link.href);
    link.closest("[data-part]").scrollIntoView({ block: "nearest" });
  };
  // The documents of the string in hand, one after the other, then none.
  const nextDocument = () => {
    if (!current()?.querySelector("[data-open-part]")) {
      say(current()?.querySelector(".docno") ? worded("The document of this string is not stored here.") : worded("This string names no document."));
      forget();
      close();
      return;
    }
    const links = [...(current()?.querySelectorAll("[data-open-part]") ?? [])];
    const at = links.findIndex((link) => link.matches("[data-is-open]"));
    if (at >= 0 && at === links.length - 1) {
      forget();
      close();
      say(worded("No document is open."));
    } else openDocument(links[at + 1]).then(() => say(worded("Document {at} of {links} of this text: {at2}", { at: at + 2, links: links.length, at2: links[at + 1].textContent })));
  };

  holder.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("[data-open-part]");
    const button = event.target.closest("[data-part-step], [data-part-document]");
    if (!link && !button) return;
    event.preventDefault();
    if (link) {
      select(link.closest("[data-part]"));
      openDocument(link);
    } else if (button.matches("[data-part-step]")) step(Number(button.dataset.partStep));
    else nextDocument();
  });

  return {
    begin() {
      const keys = holder.querySelector("[data-response-keys]");
      if (keys) keys.hidden = false;
      select(holder.querySelector("[data-is-open]")?.closest("[data-part]") ?? all()[0]);
      holder.querySelector(".bench-thing")?.scrollTo(0, 0);
      const around = holder.querySelector("[data-around]");
      const judged = around?.querySelector("[aria-current]");
      if (judged) around.scrollTop = judged.offsetTop - around.clientHeight / 3;
    },
  };
}
