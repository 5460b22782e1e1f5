// Who is logged out while a page is open is told at once, and logs in on the spot: what waits is sent then.
import { csrfToken, fetchHere, isLogin, whyForbidden } from "./asking.js";
import { worded } from "./words.js";

export function startLoggedOut() {
  const template = document.getElementById("login-again");
  if (!template) return;
  const { login } = template.dataset;
  let before = null; // what had the focus before the notice

  const post = (url, fields) => fetchHere(url, { method: "POST", headers: { "X-CSRFToken": csrfToken() }, body: new URLSearchParams(fields) });

  const tell = ({ detail }) => {
    if (document.querySelector("[data-login-again]")) return;
    document.getElementById("messages").append(document.importNode(template.content, true));
    const notice = document.querySelector("[data-login-again]");
    before = null;
    notice.addEventListener("focusin", ({ relatedTarget }) => {
      if (!notice.contains(relatedTarget)) before = relatedTarget;
    });
    if (detail?.isOther) notice.querySelector("[data-login-why]").textContent = worded("Somebody else is logged in here now, and is logged out when you log in.");
    notice.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      goOn(notice, event.target).catch(() => refuse(notice, worded("There is no connection to the site. Try again.")));
    });
  };

  const refuse = (notice, why) => {
    const place = notice.querySelector("[data-login-refused]");
    [place.textContent, place.hidden] = [why, false];
    notice.querySelector("[name=password]").select();
  };

  const goOn = async (notice, form) => {
    if (!csrfToken()) await fetch(login);
    const token = csrfToken();
    const answer = await post(login, new FormData(form));
    if (answer.status === 403) return void refuse(notice, await whyForbidden(token));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (page.body.dataset.person !== document.body.dataset.person) {
      const why = page.querySelector("main [role=alert], main .lead")?.textContent.trim();
      refuse(notice, why || worded("Name and password do not fit together. Try again."));
      return;
    }
    const hadFocus = notice.contains(document.activeElement);
    notice.remove();
    renew(csrfToken());
    const places = [before, document.querySelector("[data-answer]"), document.getElementById("main")];
    if (hadFocus) places.find((each) => each?.isConnected && each.checkVisibility()).focus({ preventScroll: true });
    const said = document.querySelector("[data-did]");
    if (said) said.textContent = worded("You are logged in again. What waited is sent.");
    dispatchEvent(new Event("assay-logged-in"));
  };

  addEventListener("assay-logged-out", tell);
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!isLogin(event.detail.xhr.responseURL)) return;
    event.preventDefault(); // a page for logging in is nothing to stand in a panel
    event.detail.target.textContent = worded("You are logged out. Log in above, and open this again.");
    dispatchEvent(new Event("assay-logged-out"));
  });
}

// A login brings another token; forms of this page have the one from before.
function renew(token) {
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
  document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": token }));
}
