// A field that holds so many characters takes what fits of a longer text that is pasted or dropped: that the rest is left
// out is said beside it, with the words at which it stops, until something else is typed.
import { worded } from "./words.js";

export function startPasted() {
  for (const sign of ["paste", "drop"]) document.addEventListener(sign, (event) => tellOf(event.target, event.clipboardData ?? event.dataTransfer));
}

function tellOf(field, given) {
  if (!(field.maxLength > 0)) return;
  const text = given?.getData("text/plain").replaceAll("\r\n", "\n") ?? "";
  const isCut = field.value.length - (field.selectionEnd - field.selectionStart) + text.length > field.maxLength;
  if (!isCut) return;
  field.addEventListener("input", () => {
    const line = Object.assign(document.createElement("p"), { className: "notice bad small", textContent: worded(
      "The field takes {most} characters, so the end of the text is missing: it stops at “{words}”.",
      { most: field.maxLength, words: field.value.slice(0, field.selectionEnd).slice(-30) }) });
    line.setAttribute("role", "alert");
    field.after(line);
    field.addEventListener("input", () => line.remove(), { once: true });
  }, { once: true });
}
