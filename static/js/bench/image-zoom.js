// Larger and smaller: the image keeps its place in the middle of what is seen.
const STEP = 1.25;
const LIMITS = [0.1, 8];

export function startZoom() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-zoom]");
    if (!button) return;
    zoom(button.closest("[data-document]").parentElement.querySelector("[data-image]"), Number(button.dataset.zoom));
  });
  document.addEventListener("htmx:afterSwap", () => showZoom());
  showZoom();
}

/** Show the buttons wherever there is an image. */
export function showZoom(root = document) {
  for (const button of root.querySelectorAll("[data-zoom]")) button.hidden = false;
}

function zoom(box, by) {
  const image = box?.querySelector("img");
  if (!image) return;
  const before = image.getBoundingClientRect().width;
  const after = before * STEP ** by;
  const factor = after / (image.naturalWidth || before);
  if (factor < LIMITS[0] || factor > LIMITS[1]) return;
  const middle = [(box.scrollLeft + box.clientWidth / 2) / before, (box.scrollTop + box.clientHeight / 2) / before];
  image.classList.add("zoomed");
  image.width = Math.round(after);
  image.removeAttribute("height");
  box.scrollLeft = middle[0] * after - box.clientWidth / 2;
  box.scrollTop = middle[1] * after - box.clientHeight / 2;
}
