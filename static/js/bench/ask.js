// "Can't decide? Ask the organiser": q opens the form, the question goes through the outbox.
// aboutOf() gives {id, text} of the item in hand, as in `tell`, or null for a question about the topic.
import { bringBack } from "./kept-words.js";
import { toWork } from "./to-work.js";
import { tell, worded } from "../web/words.js";

/** What a question's form is opened by opens it. */
export function openAsk(event) {
  const details = event.currentTarget.parentElement;
  if (details.open) return;
  event.preventDefault();
  details.open = true; // at once, so that what is typed next is text
  details.querySelector("textarea").focus();
  details.scrollIntoView({ block: "nearest" });
}

export function startAsk({ bench, outbox, aboutOf = () => null, say }) {
  const details = bench.querySelector("[data-ask]");
  if (!details) return;
  const form = details.querySelector("[data-ask-form]");
  const about = details.querySelector("[data-ask-about]");
  details.querySelector("summary").addEventListener("click", (event) => {
    if (details.open) return;
    event.preventDefault();
    details.open = true; // at once, so that what is typed next is text
    const item = aboutOf();
    form.elements.item.value = item?.id ?? "";
    bringBack(form.elements.text);
    tell(about, item ? worded("About “{text}”", { text: item.text }) : worded("About the whole question"));
    about.hidden = false;
    form.scrollIntoView({ block: "nearest" });
    form.elements.text.focus();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    outbox.send({ url: form.getAttribute("action"), fields: { item: form.elements.item.value, text: form.elements.text.value } });
    form.elements.text.value = "";
    details.open = false;
    toWork();
    say(worded("Asked the organiser. Go on with the rest."));
  });
}
