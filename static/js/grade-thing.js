// The item that lies on the bench: fetched as the fragment that the page itself includes, the next one in advance.
import { showMarkTools } from "./marks.js";

const MOVE_ON = "assay.stay-after-judging";
const AHEAD = 4;

export function startThing(bench) {
  const holder = bench.querySelector("[data-bench-item]");
  const ready = new Map();
  let shown = null;
  let view = "";

  const address = (line, asked = "") => {
    const parameters = new URLSearchParams(asked ? new URL(asked, location.href).search : "");
    parameters.delete("item");
    if (asked) view = parameters.get("view") === "source" ? view : parameters.get("view") ?? "";
    else if (view) parameters.set("view", view);
    return `${bench.dataset.base}items/${line.id}/?${parameters}`;
  };

  const fetchThing = async (url) => {
    const response = await fetch(url, { headers: { "X-Fragment": "1" } });
    if (!response.ok || response.redirected) throw new Error(String(response.status));
    return response.text();
  };

  const prepare = (line) => {
    if (!line) return;
    const url = address(line);
    if (ready.has(url)) return;
    ready.set(url, fetchThing(url).catch(() => { ready.delete(url); return null; }));
    for (const old of [...ready.keys()].slice(0, -AHEAD)) ready.delete(old);
  };

  const put = (html, line, hadFocus) => {
    holder.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.children);
    begin(line, null);
    if (hadFocus) holder.querySelector("[data-answer]").focus({ preventScroll: true });
  };

  const show = async (line, following, asked) => {
    shown = line;
    const hadFocus = !asked && holder.contains(document.activeElement);
    const url = address(line, asked);
    history.replaceState(null, "", `${bench.dataset.base}?item=${line.id}`);
    const html = (await ready.get(url)) ?? (await fetchThing(url).catch(() => null));
    if (shown !== line) return;
    if (html === null) {
      holder.querySelector(".bench-thing").replaceChildren(notice("This item can't be loaded now. It will be tried again."));
      holder.querySelector(".bench-form").replaceChildren();
      setTimeout(() => { if (shown === line) show(line, following, asked); }, 3000);
      return;
    }
    ready.delete(url);
    put(html, line, hadFocus);
    prepare(following);
  };

  const begin = (line, following) => {
    shown = line;
    for (const part of holder.querySelectorAll("[data-later], [data-move-on], [data-move-on-label]")) part.hidden = false;
    holder.querySelector("[data-move-on]").checked = movesOn();
    holder.querySelector("[data-ask-open]").addEventListener("click", (event) => openAsk(event));
    showMarkTools(holder);
    paint(line);
    prepare(following);
  };

  const paint = (line) => {
    if (!line || line !== shown) return;
    let isOpen = true;
    for (const form of holder.querySelectorAll("[data-criterion]")) {
      const value = line.values[form.dataset.criterion];
      const takesKeys = isOpen && (value === undefined || !nextOf(form));
      for (const button of form.querySelectorAll("[data-grade]")) {
        button.setAttribute("aria-pressed", String(Number(button.value) === value));
        if (takesKeys) button.dataset.key = button.dataset.gradeKey;
        else delete button.dataset.key;
      }
      if (takesKeys) isOpen = false;
      form.querySelector("[data-withdraw]").hidden = value === undefined;
    }
    const note = holder.querySelector("[data-note]");
    if (note && document.activeElement !== note) note.value = line.note;
  };

  const nextOf = (form) => form.parentElement.querySelector(`[data-criterion="${form.dataset.criterion}"] ~ [data-criterion]`);
  const note = () => holder.querySelector("[data-note]")?.value ?? "";
  holder.addEventListener("change", (event) => {
    if (!event.target.matches("[data-move-on]")) return;
    try { localStorage.setItem(MOVE_ON, event.target.checked ? "0" : "1"); } catch { /* as it was */ }
  });
  return { show, begin, paint, note, movesOn };
}

function movesOn() {
  try { return localStorage.getItem(MOVE_ON) !== "1"; } catch { return true; }
}

function openAsk(event) {
  const details = event.currentTarget.parentElement;
  if (details.open) return;
  setTimeout(() => {
    details.querySelector("textarea").focus();
    details.scrollIntoView({ block: "nearest" });
  });
}

function notice(text) {
  const element = document.createElement("p");
  element.className = "notice bad";
  element.setAttribute("role", "alert");
  element.textContent = text;
  return element;
}
