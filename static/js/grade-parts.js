// The strings of a whole response: which one is in hand, and its document.
export function createParts({ holder, open, close }) {
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
  };
  const openDocument = async (part) => {
    const link = part?.querySelector("[data-open-part]");
    if (!link) return;
    for (const other of holder.querySelectorAll("[data-is-open]")) other.removeAttribute("data-is-open");
    part.setAttribute("data-is-open", "");
    await open(link.href);
    part.scrollIntoView({ block: "nearest" });
  };

  holder.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("[data-open-part]");
    const button = event.target.closest("[data-part-step], [data-part-document]");
    if (!link && !button) return;
    event.preventDefault();
    if (link) {
      select(link.closest("[data-part]"));
      openDocument(current());
    } else if (button.matches("[data-part-step]")) step(Number(button.dataset.partStep));
    else if (current()?.matches("[data-is-open]")) {
      current().removeAttribute("data-is-open");
      close();
    } else openDocument(current());
  });

  return {
    begin() {
      const keys = holder.querySelector("[data-response-keys]");
      if (keys) keys.hidden = false;
      select(holder.querySelector("[data-is-open]") ?? all()[0]);
      holder.querySelector(".bench-thing")?.scrollTo(0, 0);
      const around = holder.querySelector("[data-around]");
      const judged = around?.querySelector("[aria-current]");
      if (judged) around.scrollTop = judged.offsetTop - around.clientHeight / 3;
    },
  };
}
