// The pages of a topic, one at a time; + and - make the page in sight larger or smaller.
import { startZoom } from "../bench/image-zoom.js";
import { leave } from "../bench/to-work.js";
import { worded } from "../web/words.js";

export function startPages(bench, say) {
  const pages = [...bench.querySelectorAll("[data-page]")];
  if (!pages.length) return;
  const links = [...bench.querySelectorAll("[data-page-link]")];
  let current = 0;

  const show = (index) => {
    current = Math.min(Math.max(index, 0), pages.length - 1);
    pages.forEach((page, at) => { page.hidden = at !== current; });
    links.forEach((link, at) => (at === current ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
    bench.querySelector("[data-page-place]").textContent = worded("page {current} of {pages}", { current: current + 1, pages: pages.length });
  };

  bench.addEventListener("click", (event) => {
    const step = event.target.closest("[data-page-step]");
    const link = event.target.closest("[data-page-link]");
    if (step) show(current + Number(step.dataset.pageStep));
    if (!link) return;
    event.preventDefault();
    show(links.indexOf(link));
  });
  bench.querySelector("[data-page-number]").addEventListener("keydown", ({ key, target }) => {
    if (key !== "Enter") return;
    const number = target.value.trim();
    target.value = "";
    leave(target);
    const at = links.findIndex((link) => link.dataset.pageLink === number);
    if (at < 0) say(worded("There is no page “{number}”.", { number }));
    else show(at);
  });
  startZoom();
  bench.querySelector("[data-page-keys]").hidden = false;
  show(0);
}
