// Writes that survive a lost network. Each has a client_key made once; it waits in localStorage until the server
// has answered, and the server takes the same key only once. "saved" is shown after an answer, never before.
import { newKey } from "./client-key.js";

const PAUSES = [1, 2, 4, 8, 15, 30];
const FINAL = new Set([400, 404, 405, 409, 413, 422]);
const HIDDEN = new Set([403, 404]); // what somebody else gets who is logged in now

/**
 * The outbox of one person. `status` is the element that says how things stand.
 * send({url, fields}) keeps and posts a form; `onAnswer(entry, json)` and `onRefused(entry, json)` tell the page.
 */
export function createOutbox({ person, status, onAnswer = () => {}, onRefused = () => {} }) {
  const prefix = `assay.outbox.${person}.`;
  const waiting = load(prefix);
  let tries = 0;
  let busy = false;
  let timer = null;
  let refused = "";
  let onSent = null;

  const say = (text, tone) => {
    if (!status) return;
    status.textContent = text;
    status.dataset.tone = tone;
  };

  const drain = async () => {
    clearTimeout(timer);
    if (busy) return;
    busy = true;
    while (waiting.length) {
      say("saving…", "busy");
      const outcome = await post(waiting[0], person);
      if (outcome.kind === "later") {
        const pause = PAUSES[Math.min(tries, PAUSES.length - 1)];
        tries += 1;
        say(`not saved, will try again (${waiting.length} waiting). ${outcome.why}`, "bad");
        timer = setTimeout(drain, pause * 1000);
        busy = false;
        return;
      }
      tries = 0;
      const entry = waiting.shift();
      forget(prefix, entry);
      if (outcome.kind === "refused") {
        refused = outcome.json.detail;
        onRefused(entry, outcome.json);
        tellSent();
      } else {
        refused = "";
        onAnswer(entry, outcome.json);
      }
    }
    busy = false;
    say(refused ? `not saved: ${refused}` : "saved ✓", refused ? "bad" : "good");
    tellSent();
  };

  const tellSent = () => {
    const tell = onSent;
    onSent = null;
    tell?.({ refused });
  };

  addEventListener("online", () => { tries = 0; drain(); });
  addEventListener("beforeunload", (event) => { if (waiting.length) event.preventDefault(); });
  if (waiting.length) drain();

  return {
    send({ url, fields }) {
      const entry = { url, fields: { ...fields, client_key: fields.client_key ?? newKey() }, at: Date.now() };
      waiting.push(entry);
      keep(prefix, entry);
      drain();
      return entry;
    },
    get waiting() { return waiting.length; },

    /** Calls `act` once, with {refused: why}: when all is sent, or as soon as something is refused. */
    whenSent(act) { onSent = act; },
  };
}

async function post(entry, person) {
  let response;
  try {
    response = await fetch(entry.url, {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
      body: new URLSearchParams(entry.fields),
      signal: AbortSignal.timeout(30000),
    });
  } catch {
    return { kind: "later", why: "The server can't be reached." };
  }
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  const json = isJson ? await response.json().catch(() => null) : null;
  if (response.ok && json && !response.redirected) return { kind: "answered", json };
  if (response.redirected) return { kind: "later", why: "You are logged out: log in again in another tab." };
  if (json?.code === "lapsed") return { kind: "later", why: json.detail }; // kept: the work may be taken up again
  if (FINAL.has(response.status) || (response.status === 403 && json)) {
    if (HIDDEN.has(response.status) && !(await isHere(person))) {
      return { kind: "later", why: "Somebody else is logged in here: log in again as yourself in another tab." };
    }
    return { kind: "refused", json: json ?? { detail: `The server refused it (${response.status}).` } };
  }
  return { kind: "later", why: `The server answered ${response.status}.` };
}

// Whether this person is still who is logged in. To anybody else their work looks absent, and must not be thrown away.
async function isHere(person) {
  try {
    const page = await fetch("/", { cache: "no-store", signal: AbortSignal.timeout(30000) });
    const found = new DOMParser().parseFromString(await page.text(), "text/html");
    return page.ok && found.body.dataset.person === String(person);
  } catch {
    return false;
  }
}

function csrfToken() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";
}

function load(prefix) {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix))
      .map((name) => JSON.parse(localStorage.getItem(name))).sort((a, b) => a.at - b.at);
  } catch {
    return [];
  }
}

function keep(prefix, entry) {
  try { localStorage.setItem(prefix + entry.fields.client_key, JSON.stringify(entry)); } catch { /* kept in memory */ }
}

function forget(prefix, entry) {
  try { localStorage.removeItem(prefix + entry.fields.client_key); } catch { /* was never kept */ }
}
