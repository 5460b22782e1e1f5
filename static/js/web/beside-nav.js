/** Scrolls the line below the menu so that the entry of this page is in sight, where the window is too narrow for all. */
export function startBesideNav() {
  const here = document.querySelector(".beside-nav [aria-current]");
  const line = here?.closest("ul");
  if (!line) return;
  const gap = here.getBoundingClientRect().right - line.getBoundingClientRect().right;
  if (gap > 0) line.scrollLeft += gap + line.clientWidth / 3;
}
