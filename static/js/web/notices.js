// What was changed and has to be read stands above every page of somebody who judges, and comes there while the page is
// open: when it gets the focus, after a judgment was saved, and twice a minute. Without scripts it stands on the list of work.
const EVERY_MS = 30_000;
const AFTER_SAVING_MS = 10_000; // a quick judge asks no more often than that

export function startNotices() {
  const place = document.querySelector("[data-notices]");
  if (!place) return;
  let asking = false;
  let again = false; // asked for while an answer was on its way, which may say how it was before
  let askedAt = 0;

  const look = async () => {
    again = asking;
    if (asking || document.hidden) return;
    asking = true;
    do {
      again = false;
      askedAt = Date.now();
      const found = await fetchPart(place.dataset.notices);
      if (found && wordsOf(found) !== wordsOf(place)) place.replaceChildren(...found.childNodes);
    } while (again);
    asking = false;
  };
  const acknowledge = async (event) => {
    event.preventDefault();
    try {
      const answer = await fetch(event.target.action, { method: "POST", body: new FormData(event.target), redirect: "manual" });
      if (answer.type === "opaqueredirect") await look();
    } catch {
      // It stays in sight, and is acknowledged by another click.
    }
  };

  place.addEventListener("submit", acknowledge);
  addEventListener("focus", (event) => { if (event.target === window) look(); });
  addEventListener("assay-saved", () => { if (Date.now() - askedAt > AFTER_SAVING_MS) look(); });
  setInterval(look, EVERY_MS);
  if (place.dataset.noticesNow !== undefined) look();
}

const wordsOf = (element) => element.textContent.replace(/\s+/g, " ").trim();

// Null where the network is away, or somebody else is logged in by now.
async function fetchPart(address) {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(30_000) });
    if (!response.ok || response.redirected) return null;
    return new DOMParser().parseFromString(await response.text(), "text/html").body;
  } catch {
    return null;
  }
}
