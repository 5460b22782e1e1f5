// The analysis page: a slider beside each number setting, and the page anew when something is chosen.

const form = document.querySelector("[data-analysis]");

for (const slider of form?.querySelectorAll("[data-slides]") ?? []) {
  const number = document.getElementById(slider.dataset.slides);
  slider.hidden = false;
  slider.addEventListener("input", () => {
    number.value = slider.value;
  });
  number.addEventListener("input", () => {
    slider.value = number.value;
  });
}

form?.addEventListener("change", (event) => {
  if (event.target.type !== "checkbox") form.requestSubmit();
});
