// Parts marked data-live follow the server: every data-live-every seconds the page is asked for anew, and what differs is
// put in its place. Hidden pages wait. A part in which somebody works (focus, selected text) stays as it is for now.
import { comeAnew, isInUse } from "./anew.js";
import { startCopy } from "./copy.js";
import { askServer } from "./asking.js";

let clock;

/** What the server wrote into a part, whatever scripts have shown of it since. */
function sourceOf(part) {
  const copy = document.importNode(part, true);
  delete copy.dataset.liveEvery;
  for (const button of copy.querySelectorAll("[data-copy-table]")) button.hidden = true;
  return copy;
}

function replace(part, other) {
  const places = [...part.querySelectorAll(".table-box")].map((box) => [box.scrollLeft, box.scrollTop]);
  part.replaceChildren(...[...other.childNodes].map((node) => document.importNode(node, true)));
  part.querySelectorAll(".table-box").forEach((box, index) => {
    [box.scrollLeft, box.scrollTop] = places[index] ?? [0, 0];
  });
  startCopy(part);
}

function takeOver(fresh) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const other = fresh.getElementById(part.id);
    if (!other) {
      part.dataset.liveEvery = "";
      comeAnew();
      return;
    }
    part.dataset.liveEvery = other.dataset.liveEvery ?? "";
    if (!isInUse(part) && !sourceOf(part).isEqualNode(sourceOf(other))) replace(part, other);
  }
  const said = document.getElementById("live-said");
  const now = fresh.getElementById("live-said");
  if (said && now && said.textContent !== now.textContent) said.textContent = now.textContent;
}

async function ask() {
  if (document.visibilityState === "visible") {
    try {
      const answer = await askServer(window.location.href, { headers: { Accept: "text/html" } });
      if (answer.ok && !answer.redirected) takeOver(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch { /* no network: the next time */ }
  }
  plan();
}

function plan() {
  clearTimeout(clock);
  const seconds = Math.min(...[...document.querySelectorAll("[data-live-every]")].map((part) => Number(part.dataset.liveEvery) || Infinity));
  if (Number.isFinite(seconds)) clock = setTimeout(ask, seconds * 1000);
}

document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible" && clock) ask(); });
plan();
