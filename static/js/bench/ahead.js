// The next items, fetched in advance, with the framed pages of their documents, which take longest. A frame loads out of
// sight and is moved to its place without loading anew, where the browser can do that; else it loads when it is shown.
// The frames that were seen last go out of sight again and stay loaded: going back to them asks the server for nothing.
import { askServer, isOthers } from "../web/asking.js";
import { worded } from "../web/words.js";

const [KEPT, FRAMES] = [40, 4]; // fragments, and framed pages
const KEPT_MS = 600_000; // as long is an item that nothing was said of shown again as it came
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

export const canMove = "moveBefore" in Element.prototype;

// What a frame shows: its signed address without when it was signed, and so without the signature.
const shownBy = (frame) => frame.src.replace(/:[^:/]*:[^:/]*(?=\/?(#|$))/, "");

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

/** What is fetched for `holder`, which shows one item. */
export function createAhead(holder) {
  const ready = new Map(); // address -> the fragment that comes
  const since = new Map(); // address -> when a fragment that is kept came
  let lying = null; // {url, html, at} of what lies on the bench
  const frames = new Map(); // address -> its framed page, loading out of sight
  const seen = new Map(); // what a frame shows -> the frame, seen before and out of sight now
  const loaded = new WeakSet();
  const wings = document.createElement("div");
  wings.className = "bench-wings";
  wings.inert = true;
  wings.setAttribute("aria-hidden", "true");
  holder.closest(".workbench").append(wings);

  const forget = (url) => {
    ready.delete(url);
    frames.get(url)?.remove();
    frames.delete(url);
  };

  const putAway = (frame) => {
    const size = holder.querySelector("[data-opened]")?.getBoundingClientRect();
    if (size?.width) Object.assign(frame.style, { width: `${size.width}px`, height: `${size.height}px` });
    frame.removeAttribute("data-frame"); // until it is the one in sight
  };

  /** Take the framed page that is in sight out of it, before its item goes, and the one out again that is wanted now. */
  const exchange = (wanted) => {
    const frame = canMove && holder.querySelector("[data-frame]");
    if (frame) {
      putAway(frame);
      wings.moveBefore(frame, null);
      seen.get(shownBy(frame))?.remove();
      seen.set(shownBy(frame), frame);
    }
    const found = wanted && seen.get(shownBy(wanted));
    seen.delete(wanted && shownBy(wanted));
    for (const old of [...seen.keys()].slice(0, -FRAMES)) {
      seen.get(old).remove();
      seen.delete(old);
    }
    return found;
  };

  const loadFrame = (url, html) => {
    const found = typeof html === "string" && new DOMParser().parseFromString(html, "text/html").querySelector("[data-frame]");
    if (!found || !canMove || !ready.has(url) || frames.has(url) || seen.has(shownBy(found))) return; // one a page, however often asked
    const frame = document.importNode(found, true);
    frame.addEventListener("load", () => loaded.add(frame), { once: true });
    putAway(frame);
    frames.set(url, frame);
    wings.append(frame);
    for (const old of [...frames.keys()].slice(0, -FRAMES)) {
      frames.get(old).remove();
      frames.delete(old);
    }
  };

  const show = (frame, stand) => {
    stand.parentElement.moveBefore(frame, stand);
    stand.remove();
    frame.removeAttribute("style");
    frame.setAttribute("data-frame", "");
    frame.getBoundingClientRect(); // laid out in its place now: Firefox would go to the mark by the size from before
    if (loaded.has(frame) && frame.src.includes("#")) frame.src = String(frame.src); // in its new size to the mark again
  };

  return {
    /** Fetch an item, and its framed page if that is wanted; the last that were asked for are kept. Gives the fragment. */
    prepare(url, { framed = true } = {}) {
      const coming = ready.get(url) ?? fetchItem(url).catch(() => { ready.delete(url); return null; });
      ready.set(url, coming);
      if (framed && !frames.has(url)) coming.then((html) => loadFrame(url, html));
      for (const old of [...ready.keys()].slice(0, -KEPT)) forget(old);
      return coming;
    },

    has: (url) => ready.has(url),
    clear: () => [...ready.keys()].forEach(forget),
    /** The fragment at this address: prepared, or fetched now; null where it can't be had. */
    async take(url) {
      const html = (await ready.get(url)) ?? (await fetchItem(url).catch(() => null));
      if (html instanceof Gone) forget(url);
      return html;
    },

    /** Put a fragment into the holder, with its frame if that is loaded or loading. */
    put(html, url) {
      const elements = elementsOf(html);
      const place = elements.map((each) => each.querySelector("[data-frame]")).find(Boolean);
      const frame = exchange(place) ?? frames.get(url);
      if (place && frame && shownBy(frame) === shownBy(place)) {
        const stand = document.createElement("span");
        place.replaceWith(stand);
        holder.replaceChildren(...elements);
        show(frame, stand);
        if (frames.get(url) === frame) frames.delete(url);
      } else holder.replaceChildren(...elements);
      forget(url);
      lying = { url, html, at: since.get(url) ?? Date.now() };
      since.delete(url);
    },

    /** What lies on the bench is left as it came: going back to it asks the server for nothing, for a while. */
    keep() {
      if (!lying || Date.now() - lying.at > KEPT_MS) return;
      ready.set(lying.url, Promise.resolve(lying.html));
      since.set(lying.url, lying.at);
    },
  };
}
