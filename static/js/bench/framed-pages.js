// The framed pages of the next items, which take longest. A frame loads out of sight and is moved to its place without
// loading anew, where the browser can do that; else it loads when it is shown. The frames that were seen last go out of
// sight again and stay loaded: going back to them asks the server for nothing.
const SEEN = 4;
const MOST = 40;
const SIZE = 20_000_000; // characters of all pages that wait out of sight for when the network is lost
const PATIENCE = 20_000;

const canMove = "moveBefore" in Element.prototype;

// What a frame shows: its signed address without when it was signed, and so without the signature.
const shownBy = (frame) => frame.src.replace(/:[^:/]*:[^:/]*(?=\/?(#|$))/, "");
const frameIn = (html) => (typeof html === "string" && html.includes("data-frame")
  ? new DOMParser().parseFromString(html, "text/html").querySelector("[data-frame]") : null);
const sizeOf = (frame) => Number(frame.dataset.size) || 0;
const loading = (frame) => new Promise((done) => {
  frame.addEventListener("load", done, { once: true });
  setTimeout(done, PATIENCE);
});

/** The frames of `holder`, which shows one item. */
export function createFramedPages(holder) {
  const coming = new Map(); // address of an item -> its frame, out of sight
  const seen = new Map(); // what a frame shows -> the frame, seen before and out of sight now
  const loaded = new WeakSet();
  const wings = document.createElement("div");
  wings.className = "bench-wings";
  wings.inert = true;
  wings.setAttribute("aria-hidden", "true");
  holder.closest(".workbench").append(wings);

  const forget = (url) => {
    coming.get(url)?.remove();
    coming.delete(url);
  };

  const putAway = (frame) => {
    const size = holder.querySelector("[data-opened]")?.getBoundingClientRect();
    if (size?.width) Object.assign(frame.style, { width: `${size.width}px`, height: `${size.height}px` });
    frame.removeAttribute("data-frame"); // until it is the one in sight
  };

  const isLarge = (frame) => [...coming.values()].reduce((sum, each) => sum + sizeOf(each), sizeOf(frame)) > SIZE;

  // Loaded with no network it shows the browser's own page, and is asked for again.
  const watch = (frame) => loading(frame).then(() => { if (navigator.onLine) loaded.add(frame); });
  addEventListener("online", () => {
    for (const [url, frame] of coming) if (!loaded.has(frame)) forget(url);
    const frame = holder.querySelector("[data-frame]");
    if (!frame || loaded.has(frame)) return;
    watch(frame);
    frame.src = String(frame.src);
  });

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
    for (const old of [...seen.keys()].slice(0, -SEEN)) {
      seen.get(old).remove();
      seen.delete(old);
    }
    return found;
  };

  const show = (frame, stand) => {
    stand.parentElement.moveBefore(frame, stand);
    stand.remove();
    frame.removeAttribute("style");
    frame.setAttribute("data-frame", "");
    frame.getBoundingClientRect(); // laid out in its place now: Firefox would go to the mark by the size from before
    if (loaded.has(frame) && frame.src.includes("#")) frame.src = String(frame.src); // in its new size to the mark again
  };

  const first = holder.querySelector("[data-frame]");
  if (first) loaded.add(first); // with the page
  // It may have gone to its mark before it had its size.
  const goThere = () => { if (first.isConnected && first.src.includes("#")) first.src = String(first.src); };
  if (first && document.readyState === "complete") goThere();
  else if (first) addEventListener("load", goThere, { once: true });

  return {
    forget,

    /** Load the framed page of an item, once however often it is asked for; resolves when it has come, or won't. */
    async load(url, html, { isNear = true } = {}) {
      const known = coming.get(url);
      if (known) return void (loaded.has(known) || await loading(known));
      const found = canMove && frameIn(html);
      if (!found) return;
      if (seen.has(shownBy(found))) { // it comes again, and later ones shall not drive it out
        coming.set(url, seen.get(shownBy(found)));
        seen.delete(shownBy(found));
        return;
      }
      if (!isNear && isLarge(found)) return;
      const frame = document.importNode(found, true);
      const come = watch(frame);
      putAway(frame);
      coming.set(url, frame);
      wings.append(frame);
      for (const old of [...coming.keys()].slice(0, -MOST)) forget(old);
      await come;
    },

    /** Whether all of an item is here: its page, too, if it has one. */
    isHere(url, html) {
      const found = frameIn(html);
      return !found || (coming.has(url) && loaded.has(coming.get(url)));
    },

    /** Put these elements into the holder, with their frame if that is loaded or loading. */
    put(elements, url) {
      const place = elements.map((each) => each.querySelector("[data-frame]")).find(Boolean);
      const frame = exchange(place) ?? coming.get(url);
      if (place && frame && shownBy(frame) === shownBy(place)) {
        const stand = document.createElement("span");
        place.replaceWith(stand);
        holder.replaceChildren(...elements);
        show(frame, stand);
        if (coming.get(url) === frame) coming.delete(url);
      } else {
        holder.replaceChildren(...elements);
        if (place) watch(place);
      }
    },
  };
}
