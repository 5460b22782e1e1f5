// Active seconds: a pause longer than `idle` counts as `idle` seconds, a hidden page counts nothing.
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "scroll"];

/** A timer that runs from now on. take() gives the active seconds since the last take() and begins anew. */
export function createTimer({ idle = 60, clock = () => performance.now() } = {}) {
  let active = 0;
  let last = clock();
  let shown = true;
  const note = () => {
    const now = clock();
    if (shown) active += Math.min((now - last) / 1000, idle);
    last = now;
  };
  for (const sign of SIGNS) document.addEventListener(sign, note, { passive: true, capture: true });
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
