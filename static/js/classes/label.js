// The small dialog that asks for the name of an answer class.
const dialog = document.getElementById("label-dialog");

/** Ask for a name, with one proposed; gives it back, or null when the dialog was left. */
export function askLabel({ title, value, about = "" }) {
  const field = dialog.querySelector("[data-label-field]");
  dialog.querySelector("[data-label-title]").textContent = title;
  dialog.querySelector("[data-label-about]").textContent = about;
  field.value = value;
  dialog.returnValue = "";
  dialog.showModal();
  field.focus();
  field.select();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok" ? field.value.trim() : null), { once: true });
  });
}
