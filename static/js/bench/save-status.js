// The line that says how saving stands, or that something is typed which is not saved yet.
import { worded } from "../web/words.js";

export function createSaveStatus(status) {
  let typed = "";
  let last = ["", ""]; // how things stand, without what is being typed
  let isSpoken = false; // only what is not saved yet, and that it is by now: of each key the bench says itself what it did

  const show = () => {
    if (!status) return;
    status.ariaLive = isSpoken ? "polite" : "off";
    const isOver = typed && last[1] !== "bad" && last[1] !== "busy";
    [status.textContent, status.dataset.tone] = isOver ? [worded("{typed} is not saved yet", { typed }), "busy"] : last;
  };

  return {
    /** `waits`: it is read aloud, since it waits for something. */
    say(text, tone, waits = false) {
      last = [text, tone];
      isSpoken ||= waits;
      show();
      if (tone === "good") isSpoken = false;
    },

    typing(text) {
      typed = text;
      show();
    },

    isTyping: () => typed !== "",
  };
}
