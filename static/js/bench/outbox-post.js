// One try to send an entry of the outbox: it was answered, it was refused for good, or it is tried again later.
import { askServer, csrfToken, isOthers, whyForbidden } from "../web/asking.js";
import { worded } from "../web/words.js";
const FINAL = new Set([400, 404, 405, 409, 413, 422]);
const HIDDEN = new Set([403, 404]); // what somebody else gets who is logged in now

/** {kind: "answered" | "refused", json}, or {kind: "later", why, isUnread?}. */
export async function post(entry, person) {
  const token = csrfToken();
  let response;
  try {
    response = await askServer(entry.url, {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRFToken": token },
      body: new URLSearchParams(entry.fields),
      signal: AbortSignal.timeout(30000),
    });
  } catch {
    return { kind: "later", why: worded("There is no connection to the site.") };
  }
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  const json = isJson ? await response.json().catch(() => null) : null;
  if (response.ok && json && !response.redirected) return { kind: "answered", json };
  if (response.redirected) return { kind: "later", why: worded("You are logged out: log in above, and it is sent.") };
  if (json?.code === "unread") return { kind: "later", why: json.detail, isUnread: true }; // kept until it is read
  if (json?.code === "lapsed") return { kind: "later", why: json.detail }; // kept: the work may be taken up again
  if (response.status === 403 && !json) return { kind: "later", why: worded("{why} Nothing is lost: it is sent again by itself.", { why: await whyForbidden(token) }) };
  if (response.status === 413) return { kind: "refused", json: { detail: worded("This is too long for the site. Shorten it, then do it again.") } };
  if (FINAL.has(response.status) || (response.status === 403 && json)) {
    if (HIDDEN.has(response.status) && !(await isHere(person))) {
      return { kind: "later", why: worded("Somebody else is logged in here: log in above as yourself.") };
    }
    return { kind: "refused", json: json ?? { detail: worded("The site did not take it (error {status}). Reload the page, then do it again.", { status: response.status }) } };
  }
  return { kind: "later", ...outage(response) };
}

// The site is locked, its disk full or its database away: it says when to come back, and nothing is lost meanwhile.
function outage(response) {
  const seconds = Math.min(Number(response.headers.get("Retry-After")) || 0, 60);
  const why = response.status === 507 ? worded("The disk of the site is full")
    : response.status === 429 ? worded("The site is asked too much at once just now")
    : response.status === 503 ? worded("The site can't answer now")
      : worded("The site has a fault just now (error {status})", { status: response.status });
  return { seconds, why: worded("{why}. Nothing is lost: your work is kept in this browser and sent again by itself.", { why }) };
}

// Whether this person is still who is logged in. To anybody else their work looks absent, and must not be thrown away.
async function isHere(person) {
  try {
    const page = await fetch("/", { cache: "no-store", signal: AbortSignal.timeout(30000) });
    const found = new DOMParser().parseFromString(await page.text(), "text/html");
    return page.ok && !isOthers(found) && found.body.dataset.person === String(person);
  } catch {
    return false;
  }
}
