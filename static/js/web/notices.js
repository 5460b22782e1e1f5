// What was changed and has to be read stands above every page of somebody who judges, and comes there while the page is
// open: when it gets the focus, after a judgment was saved, and twice a minute. What is said on a page that had not told it
// yet waits in the outbox until it is read ("assay-unread", "assay-read"). Without scripts benches and the list of work tell.
import { askServer } from "./asking.js";
const EVERY_MS = 30_000;
const AFTER_SAVING_MS = 10_000; // a quick judge asks no more often than that
const findPlace = () => document.querySelector("[data-notices]");

/** The fields of a click that say up to which ledger point the page told what is new, and by which design it asks. */
export function fieldsOfPage() {
  const place = findPlace();
  const design = document.querySelector('.criterion [name="design"]')?.value;
  return { ...(place && { told: place.dataset.told ?? "0" }), ...(design && { design }) };
}

export function startNotices() {
  const place = findPlace();
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
      if (found && wordsOf(found.body) !== wordsOf(place)) place.replaceChildren(...found.body.childNodes);
      if (found) place.dataset.told = found.told;
    } while (again);
    asking = false;
  };
  const acknowledge = async (event) => {
    event.preventDefault();
    try {
      const answer = await fetch(event.target.action, { method: "POST", body: new FormData(event.target), redirect: "manual" });
      if (answer.type !== "opaqueredirect") return;
      await look();
      dispatchEvent(new Event("assay-read"));
    } catch {
      // It stays in sight, and is acknowledged by another click.
    }
  };

  place.addEventListener("submit", acknowledge);
  addEventListener("focus", (event) => { if (event.target === window) look(); });
  addEventListener("assay-saved", () => { if (Date.now() - askedAt > AFTER_SAVING_MS) look(); });
  addEventListener("assay-unread", look);
  setInterval(look, EVERY_MS);
  if (place.dataset.noticesNow !== undefined) look();
}

const wordsOf = (element) => element.textContent.replace(/\s+/g, " ").trim();

// Null where the network is away, or somebody else is logged in by now.
async function fetchPart(address) {
  try {
    const response = await askServer(address, { signal: AbortSignal.timeout(30_000) });
    if (!response.ok || response.redirected) return null;
    const { body } = new DOMParser().parseFromString(await response.text(), "text/html");
    return { body, told: response.headers.get("X-Told") ?? "0" };
  } catch {
    return null;
  }
}
