// Nuggets that say nearly the same as the one that is being written: a key (Alt+A) adds the quote to the first of them
// instead, or where nothing is marked takes it into the hand.
import { askServer } from "../web/asking.js";
import { fieldsOf } from "./forms.js";
import { tell, worded, written } from "../web/words.js";

const PAUSE_MS = 250;

/** `send(fields)` changes the list. Gives `look`, for text that came into the form by itself. */
export function startLike(bench, { list, forms, strings, send, say }) {
  const details = bench.querySelector("[data-verb=add]");
  if (!details) return { look() {} };
  const form = details.querySelector("form");
  const holder = form.querySelector("[data-like-nuggets]");
  let timer = null;

  const look = async () => {
    clearTimeout(timer);
    const text = form.elements.text.value.trim();
    const found = text ? await ask(holder.dataset.likeNuggets, text) : [];
    if (!details.open || text !== form.elements.text.value.trim()) return;
    holder.replaceChildren(...found.map(lineOf));
    holder.scrollIntoView({ block: "nearest" });
  };
  const lineOf = ({ number, text }, place) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "quiet" });
    button.dataset.likeNumber = number;
    const words = document.createElement("span");
    const nugget = { number, text: written(text, bench.querySelector(`[data-nugget="${number}"] [data-nugget-text]`)) };
    tell(words, form.elements.quote.value ? worded("Add the quote to {number} “{text}” ", nugget) : worded("Go to {number} “{text}” ", nugget));
    button.append(words);
    if (!place) button.insertAdjacentHTML("beforeend", "<kbd>Alt</kbd><kbd>A</kbd>");
    const line = document.createElement("p");
    line.append(...(place ? [] : [worded("Nearly the same stands on the list. ")]), button);
    return line;
  };

  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE_MS);
  });
  details.addEventListener("toggle", () => { if (!details.open) holder.replaceChildren(); });
  form.addEventListener("keydown", (event) => {
    if (!event.altKey || event.ctrlKey || event.code !== "KeyA") return;
    event.preventDefault();
    holder.querySelector("[data-like-number]")?.click();
  });
  holder.addEventListener("click", ({ target }) => {
    const number = target.closest("[data-like-number]")?.dataset.likeNumber;
    if (!number) return;
    const { item, docno, quote, span } = fieldsOf(form);
    form.reset();
    forms.close(details);
    if (quote) {
      send({ do: "add-source", number, item, docno, quote, span });
      strings.forgetMarked();
    } else {
      list.take(number);
      say(worded("{noun} {number} is in hand.", { noun: bench.dataset.noun, number }));
    }
  });
  return { look };
}

async function ask(address, text) {
  try {
    const response = await askServer(`${address}?${new URLSearchParams({ text })}`, { headers: { Accept: "application/json" } });
    return response.ok && !response.redirected ? (await response.json()).like : [];
  } catch {
    return []; // it is a help, and written all the same
  }
}
