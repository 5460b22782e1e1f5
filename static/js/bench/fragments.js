// Asking for the fragment of an item that the page itself includes.
import { askServer, isOthers } from "../web/asking.js";
import { worded } from "../web/words.js";

const REFUSED = [403, 404, 409]; // asking again won't help
const PLAIN = worded("There is nothing here"); // which says nothing of why

/** What is had of an item that the server refuses: `why` in its own sentence, "" where that says nothing. */
export class Gone {
  constructor(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    if (isOthers(page)) throw new Error("somebody else is logged in");
    const said = page.querySelector("main [role=alert]")?.textContent.trim().replace(/\s+/g, " ") ?? "";
    this.why = said.startsWith(PLAIN) ? "" : said;
  }
}

export async function fetchItem(url) {
  const response = await askServer(url, { headers: { "X-Fragment": "1" } });
  const html = await response.text(); // read whatever it says: an answer that nobody reads, and no cache keeps, stays open
  if (REFUSED.includes(response.status)) return new Gone(html);
  if (!response.ok || response.redirected) throw new Error(String(response.status));
  return html;
}

export function elementsOf(html) {
  return [...new DOMParser().parseFromString(html, "text/html").body.children];
}
