// Asking the server while a page is open: whoever is logged out meanwhile is told at once (logged-out.js).
import { worded } from "./words.js";

const LANGUAGE = { "X-Page-Language": document.documentElement.lang };

/** fetch in the language of this page, which it keeps until it is loaded anew, whatever is chosen in another window. */
export const fetchHere = (url, options = {}) => fetch(url, { ...options, headers: { ...options.headers, ...LANGUAGE } });

/** So does htmx. */
export function askHere() {
  document.addEventListener("htmx:configRequest", ({ detail }) => Object.assign(detail.headers, LANGUAGE));
}

/** The same, which tells by "assay-logged-out" that the page for logging in came instead of what was asked for. */
export async function askServer(url, options) {
  const response = await fetchHere(url, options);
  if (response.redirected && isLogin(response.url)) dispatchEvent(new Event("assay-logged-out"));
  return response;
}

/** Whether an address is that of the page for logging in. */
export function isLogin(url) {
  const { login } = document.getElementById("login-again")?.dataset ?? {};
  return Boolean(login) && new URL(url, location.href).pathname === login;
}

/** Whether a page that came was made for somebody else than this one; then it is told as well. */
export function isOthers(page) {
  const { person } = page.body.dataset;
  const isOther = person !== undefined && person !== "" && person !== document.body.dataset.person;
  if (isOther) dispatchEvent(new CustomEvent("assay-logged-out", { detail: { isOther } }));
  return isOther;
}

/** Why what was sent with this token is not taken: without one the cookie was gone, and comes anew, or none is kept. */
export async function whyForbidden(token) {
  if (token) return worded("The site takes nothing from this browser just now (error 403).");
  await fetch("/", { cache: "no-store", signal: AbortSignal.timeout(30000) }).catch(() => {});
  if (csrfToken()) return worded("The cookie of this page was gone. It is here again.");
  return worded("The browser keeps no cookies of this site. Allow them in its settings.");
}

export function csrfToken() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";
}
