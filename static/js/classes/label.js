// The small dialog that asks for the name of an answer class.
import { keepAsked } from "../bench/kept-words.js";

const dialog = document.getElementById("label-dialog");
let end = null; // of what was asked, until the browser says that its dialog is closed: keys may come first

/** Ask for a name, with one proposed; gives it back, or null when the dialog was left. What is typed `of` the same answer or class is kept until then. */
export function askLabel({ title, value, of, about = "" }) {
  end?.();
  const field = dialog.querySelector("[data-label-field]");
  dialog.querySelector("[data-label-title]").textContent = title;
  dialog.querySelector("[data-label-about]").textContent = about;
  field.value = value;
  const forget = keepAsked(field, of);
  dialog.returnValue = "";
  dialog.showModal();
  field.focus();
  field.select();
  return new Promise((resolve) => {
    end = () => {
      end = null;
      forget(dialog.returnValue === "ok");
      resolve(dialog.returnValue === "ok" ? field.value.trim() : null);
    };
  });
}

dialog?.addEventListener("close", () => { if (!dialog.open) end?.(); });
