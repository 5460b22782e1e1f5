// The form that chooses a strategy shows only the numbers that the strategy has; without scripts all are shown.
const form = document.querySelector("[data-pool-form]");

function show() {
  const chosen = form.querySelector("input[name=strategy]:checked")?.value ?? "whole";
  for (const part of form.querySelectorAll("[data-for]")) {
    const strategies = part.dataset.for.split(" ");
    part.hidden = !(strategies.includes(chosen) || (strategies.includes("any") && chosen !== "whole"));
  }
  for (const group of form.querySelectorAll("[data-group]")) {
    group.hidden = !group.querySelector("[data-for]:not([hidden])");
  }
}

if (form) {
  form.addEventListener("change", show);
  show();
}
