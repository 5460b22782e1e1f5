// The button that goes round: as the system, light, dark. The choice is kept in this browser.
import { worded } from "./words.js";
const CHOICES = ["auto", "light", "dark"];
const NAMES = { auto: worded("Theme: system"), light: worded("Theme: light"), dark: worded("Theme: dark") };

export function startTheme(root = document) {
  const button = root.querySelector("[data-theme-switch]");
  if (!button) return;
  button.hidden = false;
  show(button);
  button.addEventListener("click", () => {
    const next = CHOICES[(CHOICES.indexOf(currentTheme()) + 1) % CHOICES.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try { localStorage.setItem("assay.theme", next); } catch { /* kept for this page only */ }
    show(button);
  });
}

function currentTheme() {
  return document.documentElement.dataset.theme ?? "auto";
}

function show(button) {
  button.textContent = NAMES[currentTheme()];
}
