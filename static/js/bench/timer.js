// Active seconds: a pause longer than `idle` counts as `idle` seconds, a hidden page counts nothing.
import { addSaid } from "./status-line.js";
import { worded } from "../web/words.js";

const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "scroll"];

const PAUSE_MINUTES = 5;

/**
 * A timer that runs from now on. take() gives the active seconds since the last take() and begins anew. The first sign of
 * somebody who was away for five minutes or more says so, after what a key says that it did.
 */
export function createTimer({ idle = 60, clock = () => performance.now() } = {}) {
  let active = 0;
  let last = clock();
  let sign = last; // the last of somebody who is there
  let shown = true;
  const notice = () => {
    const minutes = Math.floor((clock() - sign) / 60_000);
    sign = clock();
    if (minutes >= PAUSE_MINUTES) setTimeout(() => tellPause(minutes));
  };
  const note = () => {
    const now = clock();
    if (shown) active += Math.min((now - last) / 1000, idle);
    last = now;
  };
  for (const each of SIGNS) {
    document.addEventListener(each, () => { note(); notice(); }, { passive: true, capture: true });
  }
  document.addEventListener("visibilitychange", () => {
    note();
    shown = document.visibilityState === "visible";
  });
  return {
    take() {
      note();
      const seconds = Math.round(active * 10) / 10;
      active = 0;
      return seconds;
    },
  };
}

function tellPause(minutes) {
  addSaid(worded("You were away for {minutes} minutes. Of a pause one minute counts at most, so your pace is as it was.", { minutes }));
}
