// The analysis page: a slider beside each number setting, and the page anew when something is chosen, with the focus kept.
import { typedNumber, writtenNumber } from "../web/numbers.js";

const form = document.querySelector("[data-analysis]");
const CHOSEN = "analysis: which field was changed";

function keep(place) {
  try { sessionStorage.setItem(CHOSEN, place); } catch { /* then the page begins at its top */ }
}

function kept() {
  try { return sessionStorage.getItem(CHOSEN) ?? ""; } catch { return ""; }
}

for (const slider of form?.querySelectorAll("[data-slides]") ?? []) {
  const number = document.getElementById(slider.dataset.slides);
  slider.hidden = false;
  slider.addEventListener("input", () => {
    number.value = writtenNumber(slider.value);
  });
  number.addEventListener("input", () => {
    const { number: typed } = typedNumber(number.value);
    if (typed !== undefined) slider.value = typed;
  });
}

form?.addEventListener("change", (event) => {
  if (event.target.type === "checkbox") return;
  keep([...form.elements].indexOf(event.target));
  form.requestSubmit();
});

if (form && kept()) {
  form.elements[kept()]?.focus();
  keep("");
}
