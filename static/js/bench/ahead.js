// The next items, fetched in advance, with the framed pages of their documents.
import { elementsOf, fetchItem, Gone } from "./fragments.js";
import { createFramedPages } from "./framed-pages.js";

const [KEPT, PASSED] = [60, 10]; // fragments, and those among them that were seen and left as they came
const LEFT = 60; // fragments of items that lay on the bench, for when the server can't be reached
const KEPT_MS = 600_000; // as long is an item that nothing was said of shown again as it came

/** What is fetched for `holder`, which shows one item. */
export function createAhead(holder) {
  const ready = new Map(); // address -> the fragment that comes
  const came = new Map(); // address -> the fragment, once it has come
  const since = new Map(); // address -> when a fragment that is kept came
  const left = new Map(); // address -> the fragment that lay on the bench
  const first = holder.getHTML?.() ?? "";
  const pages = createFramedPages(holder);
  let lying = null; // {url, html, at} of what lies on the bench

  const forget = (url) => {
    for (const known of [ready, came, since]) known.delete(url);
    pages.forget(url);
  };

  const remember = (url, html) => {
    left.delete(url);
    left.set(url, html);
    for (const old of [...left.keys()].slice(0, -LEFT)) left.delete(old);
  };

  const fetched = (url) => {
    const coming = ready.get(url) ?? fetchItem(url).catch(() => { ready.delete(url); return null; });
    ready.set(url, coming);
    for (const old of [...ready.keys()].slice(0, -KEPT)) forget(old);
    return coming.then((html) => {
      if (html !== null && ready.get(url) === coming) came.set(url, html);
      return html;
    });
  };

  return {
    /** Fetch an item and its framed page; the last that were asked for are kept. */
    prepare(url) {
      fetched(url).then((html) => { if (ready.has(url)) pages.load(url, html); });
    },

    /** The same for one that is wanted later; whether it could be had, once all of it has come. */
    async store(url) {
      const html = await fetched(url);
      if (ready.has(url)) await pages.load(url, html, { isNear: false });
      return html !== null;
    },

    /** The same for one that is shown as it was only where the server can't be reached. */
    async spare(url) {
      const html = left.get(url) ?? (await (ready.get(url) ?? fetchItem(url).catch(() => null)));
      if (html === null || html instanceof Gone) return html !== null;
      remember(url, html);
      await pages.load(url, html, { isNear: false });
      return true;
    },

    /** Whether all of an item has come. */
    isHere: (url) => [came, left].some((each) => each.has(url) && pages.isHere(url, each.get(url))),

    clear() {
      [...ready.keys()].forEach(forget);
      left.clear();
    },

    /** The item with this address came with the page. */
    begin(url) { if (!lying) remember(url, first); },

    /** The fragment at this address: prepared, fetched now, or without a network as it lay here; null where it can't be had. */
    async take(url) {
      const html = (await ready.get(url)) ?? (await fetchItem(url).catch((why) => (why instanceof TypeError && left.get(url)) || null)); // fetch throws that
      if (html instanceof Gone) forget(url);
      return html;
    },

    /** Put a fragment into the holder, with its frame if that is loaded or loading. */
    put(html, url) {
      pages.put(elementsOf(html), url);
      lying = { url, html, at: since.get(url) ?? Date.now() };
      remember(url, html);
      forget(url);
    },

    /** What lies on the bench is left as it came: going back to it asks the server for nothing, for a while. */
    keep() {
      if (!lying || Date.now() - lying.at > KEPT_MS) return;
      const { url, html, at } = lying;
      ready.set(url, Promise.resolve(html));
      came.set(url, html);
      since.set(url, at);
      for (const old of [...since.keys()].slice(0, -PASSED)) forget(old);
    },
  };
}
