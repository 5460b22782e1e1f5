// Active seconds: a pause longer than `idle` counts as `idle` seconds, a hidden page counts nothing.
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "scroll"];

const PAUSE_MINUTES = 5;

/**
 * A timer that runs from now on. take() gives the active seconds since the last take() and begins anew. `onPause(minutes)`
 * is told by the first sign of somebody who was away for five minutes or more.
 */
export function createTimer({ idle = 60, clock = () => performance.now(), onPause = () => {} } = {}) {
  let active = 0;
  let last = clock();
  let sign = last; // the last of somebody who is there
  let shown = true;
  const notice = () => {
    const minutes = Math.floor((clock() - sign) / 60_000);
    sign = clock();
    if (minutes >= PAUSE_MINUTES) onPause(minutes);
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
