// The labels to choose from: typing filters them, Enter picks the first, an own label can be added.
import { askServer } from "../web/asking.js";
import { leave } from "../bench/to-work.js";
import { worded } from "../web/words.js";
export function startLabels(bench, { onPick, say }) {
  const list = bench.querySelector("[data-labels]");
  const filter = bench.querySelector("[data-label-filter]");
  const form = bench.querySelector("[data-add-form]");
  const lines = () => [...list.querySelectorAll("[data-label]")];
  const shown = () => lines().filter((line) => !line.hidden);
  const idOf = (line) => Number(line.dataset.label);
  const wordOf = (line) => line.querySelector("button").textContent;
  let first = null;

  const paintFirst = (line) => {
    first?.removeAttribute("data-first");
    first = line ?? null;
    first?.setAttribute("data-first", "");
    first?.scrollIntoView({ block: "nearest" });
  };
  const tellFirst = () => {
    const all = shown();
    if (first) say(worded("{label}: Enter picks it. {place} of {all}", { label: wordOf(first), place: all.indexOf(first) + 1, all: all.length }));
    else say(all.length ? worded("Type a part of a label, or choose one with ↓ and ↑.") : worded("No label has these words."));
  };
  const narrow = () => {
    const wanted = fold(filter.value);
    for (const line of lines()) line.hidden = !fold(wordOf(line)).includes(wanted);
    paintFirst(wanted ? shown()[0] : null);
    bench.querySelector("[data-no-label]").hidden = shown().length > 0;
  };

  filter.addEventListener("input", () => {
    narrow();
    tellFirst();
  });
  filter.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      const all = shown();
      paintFirst(all[Math.min(Math.max(all.indexOf(first) + by, 0), all.length - 1)]);
      tellFirst();
    } else if (event.key === "Escape" && filter.value) {
      filter.value = "";
      narrow();
    } else if (event.key === "Enter" && !first) tellFirst();
    else if (event.key === "Enter") {
      event.preventDefault();
      onPick(idOf(first), "key");
      filter.value = "";
      narrow();
    }
  });
  list.addEventListener("click", (event) => {
    const button = event.target.closest("[data-pick]");
    if (!button) return;
    event.preventDefault();
    onPick(idOf(button.closest("[data-label]")), event.detail === 0 ? "key" : "click");
  });

  const add = (id, label) => { // the server's order comes with the next page
    if (lines().some((line) => idOf(line) === id)) return;
    const line = document.createElement("li");
    line.dataset.label = id;
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "quiet", textContent: label });
    button.dataset.pick = "";
    line.append(button);
    list.append(line);
  };

  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const refused = form.querySelector("[data-add-refused]");
    const found = await send(form);
    refused.hidden = !found.message;
    refused.textContent = found.message ?? "";
    if (found.message) {
      form.querySelector("input:not([type=hidden])").dispatchEvent(new Event("input", { bubbles: true })); // it stays there, and is kept
      say(found.message);
      return;
    }
    add(found.item, found.label);
    form.reset();
    leave(form.querySelector("input:not([type=hidden])"));
    onPick(found.item, "key");
  });

  return {
    labelOf: (id) => {
      const line = lines().find((each) => idOf(each) === id);
      return line ? wordOf(line) : String(id);
    },
    /** Labels that were added elsewhere, from the bench as it is now. */
    take(found) {
      for (const line of found.querySelectorAll("[data-label]")) add(idOf(line), wordOf(line));
    },
    setChosen(ids) {
      for (const line of lines()) line.toggleAttribute("data-chosen", ids.includes(idOf(line)));
    },
  };
}

/** {item, label}, or {message} where the label was refused or the site can't be reached. */
async function send(form) {
  const fields = new URLSearchParams(new FormData(form));
  const request = { method: "POST", headers: { Accept: "application/json" }, body: fields };
  const response = await askServer(form.action, request).catch(() => null);
  const json = await response?.json().catch(() => null);
  if (!json) return { message: worded("The label can't be added now: there is no connection to the site. Try again.") };
  return response.ok ? json : { message: json.detail };
}

function fold(text) {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}
