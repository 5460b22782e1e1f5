// Saves the draft whenever a field of it is left, and lets nothing lead away before the answer came. Until then what is
// typed is kept in this browser.
import { newKey } from "../bench/client-key.js";
import { post } from "../bench/outbox-post.js";
import { keepChanges, putBack, sentValuesOf, valuesOf } from "./typed.js";
import { worded } from "../web/words.js";

const PAUSE_MS = 10_000;

/** Returns whether something typed before was put back. */
export function startSaving({ bench, kept, onSaved }) {
  const form = bench.querySelector("[data-draft-form]");
  const status = bench.querySelector("[data-save-status]");
  const version = form.querySelector("[data-draft-version]");
  let saved = sentValuesOf(form);
  let key = newKey(); // the same as long as the same is tried again
  let pending = null; // the save under way
  let unsaved = false;
  let leaving = false;
  let timer = null;

  const tell = (text, tone = "") => {
    status.textContent = text;
    status.dataset.tone = tone;
  };

  const send = async () => {
    const body = new FormData(form);
    const sent = valuesOf(form);
    body.set("client_key", key);
    unsaved = false;
    const outcome = await post({ url: form.action, fields: body }, document.body.dataset.person);
    if (outcome.kind !== "answered") {
      unsaved = true;
      tell(worded("not saved: {detail}", { detail: outcome.why ?? outcome.json.detail }), "bad");
      if (outcome.kind === "later") timer = setTimeout(save, PAUSE_MS);
      return;
    }
    version.value = outcome.json.version;
    saved = sent;
    keepChanges({ form, kept, saved });
    await onSaved().catch(() => {}); // what is like it is shown anew after the next save
    if (!unsaved) tell(worded("saved ✓"), "good");
  };
  const save = () => {
    clearTimeout(timer);
    if (!unsaved) return pending ?? Promise.resolve();
    tell(worded("saving …"));
    const mine = (pending ?? Promise.resolve()).then(send).finally(() => { if (pending === mine) pending = null; });
    pending = mine;
    return mine;
  };
  const changed = () => {
    unsaved = true;
    key = newKey();
    keepChanges({ form, kept, saved });
    tell(worded("not saved yet"));
  };

  form.addEventListener("input", changed);
  form.addEventListener("change", save);
  addEventListener("online", save);

  // What leads to another page waits until the draft is saved; where that fails, nothing leads away by itself.
  const holdBack = (event, goOn) => {
    if (leaving || (!unsaved && !pending)) return;
    event.preventDefault();
    event.stopPropagation();
    save().then(() => {
      if (unsaved) return;
      leaving = true;
      goOn();
    });
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (link && !link.target && !link.dataset.opensPanel && !event.ctrlKey && !event.metaKey) holdBack(event, () => link.click());
  }, { capture: true });
  document.addEventListener("submit", (event) => {
    if (event.target === form) {
      unsaved = false;
      leaving = true;
    } else holdBack(event, () => event.target.requestSubmit(event.submitter));
  }, { capture: true });
  addEventListener("beforeunload", (event) => { if (unsaved && !leaving) event.preventDefault(); });

  const found = putBack({ form, kept, onPut: () => { changed(); save(); } });
  if (found) {
    changed();
    save();
  }
  return found;
}
