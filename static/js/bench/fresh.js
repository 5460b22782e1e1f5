// A bench that comes back into sight shows what was saved elsewhere meanwhile, in another window or on another machine. So
// does one whose click was refused because it had not seen that (outbox.js tells it by "assay-unseen"), one that takes nothing,
// after a key ("assay-closed"): it may be open by now; and one on which it was read that something else is asked.
import { isTyping } from "./keys.js";
import { fetchRest } from "./rest.js";
import { askServer } from "../web/asking.js";
import { worded } from "../web/words.js";

/** `take(bench)` takes over what differs from the bench as the server shows it now, and says whether anything did. */
export function startFresh({ bench, outbox, take, say }) {
  let asking = false;
  let again = false; // asked for while an answer was on its way, which may say how it was before
  let isRead = false; // what is new; all that was said before it is sent first

  const look = async ({ quietly }) => {
    again ||= asking && quietly;
    if (asking || outbox.waiting || outbox.isTyped || document.hidden) return;
    [asking, again] = [true, false];
    const { sent } = outbox;
    const found = await fetchBench({ isPart: Boolean(bench.querySelector("[data-rest]")) });
    asking = false;
    if (again) return void look({ quietly });
    if (!found || outbox.sent !== sent || outbox.isTyped) return; // it may lack what was said meanwhile
    if (stateOf(found) !== stateOf(bench)) return void leave();
    renewTopic(bench, found);
    if (take(found) && !quietly) say(worded("This was changed in another window: what stands here is the newest."));
  };
  const leave = () => {
    if (isTyping(document.activeElement)) say(worded("This work was changed in another window. Reload the page."));
    else location.reload();
  };

  addEventListener("focus", (event) => { if (event.target === window) look({ quietly: false }); });
  addEventListener("pageshow", (event) => { if (event.persisted) look({ quietly: false }); });
  document.addEventListener("visibilitychange", () => look({ quietly: false }));
  addEventListener("assay-unseen", () => look({ quietly: true }));
  addEventListener("assay-read", () => {
    if (outbox.waiting) isRead = true; // it is sent first
    else look({ quietly: true }); // it was sent and saved between reading and being told of it
  });
  addEventListener("assay-refused", () => { isRead = false; }); // why is to be read, and to load the page anew is said
  addEventListener("assay-saved", () => {
    if (isRead) look({ quietly: true });
    isRead = false;
  });
  addEventListener("assay-closed", () => { if (isClosed(bench)) look({ quietly: true }); });
}

// Open, done or frozen: each has forms of its own in its head, and what lies on the bench takes something or nothing; the
// design by which it asks; and whether there is something to read beside it.
function stateOf(bench) {
  const forms = [...bench.querySelectorAll(".bench-head form")].map((form) => form.getAttribute("action"));
  return [...forms, isClosed(bench), bench.dataset.design, Boolean(bench.querySelector("[data-context]"))].join(" ");
}

// The topic's words may be amended while it is judged.
function renewTopic(bench, found) {
  for (const part of [".bench-head h1", "[data-context-body]"]) {
    const [shown, now] = [bench, found].map((each) => each.querySelector(part));
    if (shown && now && shown.textContent !== now.textContent) shown.replaceChildren(...now.childNodes);
  }
}

const isClosed = (bench) => Boolean(bench.querySelector(".bench-form[data-why-not]"));

async function fetchBench({ isPart }) {
  try {
    const response = await askServer(location.href, { signal: AbortSignal.timeout(30000) });
    if (!response.ok || response.redirected) return null;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const bench = page.body.dataset.person === document.body.dataset.person ? page.querySelector(".workbench") : null;
    return bench && (isPart || (await fetchRest(bench))) ? bench : null;
  } catch {
    return null;
  }
}
