// A table whose lines are opened: j and k go from line to line, Enter opens the one that has the focus.
const links = () => [...document.querySelectorAll("[data-rows] [data-row-link]")];

function step(by) {
  const all = links();
  const at = all.indexOf(document.activeElement);
  const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
  next?.focus();
}

for (const button of document.querySelectorAll("[data-row-step]")) {
  button.hidden = false;
  button.addEventListener("click", () => step(Number(button.dataset.rowStep)));
}
