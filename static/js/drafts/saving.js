// Saves the draft whenever a field of it is left, and lets nothing lead away before the answer came.
import { newKey } from "../client-key.js";

export function startSaving({ bench, onSaved }) {
  const form = bench.querySelector("[data-draft-form]");
  const status = bench.querySelector("[data-save-status]");
  const version = form.querySelector("[data-draft-version]");
  let pending = null; // the save under way
  let unsaved = false;
  let leaving = false;

  const tell = (text, tone = "") => {
    status.textContent = text;
    status.dataset.tone = tone;
  };

  const send = async () => {
    const body = new FormData(form);
    body.set("client_key", newKey());
    unsaved = false;
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
      const said = await answer.json();
      if (!answer.ok) throw new Error(said.detail);
      version.value = said.version;
      await onSaved();
      tell("saved ✓", "good");
    } catch (error) {
      unsaved = true;
      tell(error instanceof TypeError ? "not saved: no connection" : `not saved: ${error.message}`, "bad");
    }
  };
  const save = () => {
    if (!unsaved) return pending ?? Promise.resolve();
    tell("saving …");
    pending = (pending ?? Promise.resolve()).then(send).finally(() => { pending = null; });
    return pending;
  };

  form.addEventListener("input", () => {
    unsaved = true;
    tell("not saved yet");
  });
  form.addEventListener("change", save);

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
}
