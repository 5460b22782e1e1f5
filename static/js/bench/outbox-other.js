// What one bench left in the outbox, another sends: its answers are no business of this page, but a refusal is told.
import { worded } from "../web/words.js";

/** Whether an entry was made on the bench that is open. */
export function isOfThisBench(entry) {
  return new URL(entry.url, location.href).pathname.startsWith(location.pathname);
}

/** Say what was refused of other work, with the way there; it stays until the page is left. */
export function tellOfOther(entry, why) {
  const notice = document.createElement("p");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  const link = document.createElement("a");
  link.href = new URL("..", new URL(entry.url, location.href)).href;
  link.textContent = worded("Open that work");
  notice.append(worded("Something that you did in other work was not saved: {why} ", { why }), link, ".");
  document.querySelector("main").prepend(notice);
}
