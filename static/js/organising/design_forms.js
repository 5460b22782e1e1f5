// New forms of a text in place of those on the page: what is open stays open, the focus stays, and so does what was
// typed since the fields were sent.
export function replaceForms(forms, sent) {
  const before = document.getElementById("design-forms");
  const focus = document.activeElement;
  const isInside = before.contains(focus);
  for (const part of before.querySelectorAll("details[id]")) {
    const same = forms.querySelector(`[id="${part.id}"]`);
    if (same && part.open) same.open = true;
  }
  if (before.isEqualNode(forms)) return; // nor is a click lost that began on what would be taken away
  for (const field of before.querySelectorAll("input[id], select[id], textarea[id]")) {
    const same = forms.querySelector(`[id="${field.id}"]`);
    if (!same) continue;
    if (field.type === "checkbox") {
      if (field.checked !== sent.getAll(field.name).includes(field.value)) same.checked = field.checked;
    } else if (field.value !== (sent.get(field.name) ?? "").replaceAll("\r\n", "\n")) same.value = field.value;
  }
  before.replaceWith(forms);
  if (!isInside) return;
  const same = focus.id ? document.getElementById(focus.id) : null;
  const button = focus.value ? forms.querySelector(`button[value="${CSS.escape(focus.value)}"]`) : null;
  const part = forms.querySelector(`[id="${focus.closest("details")?.id}"]`);
  const next = same ?? button ?? part?.querySelector("summary");
  next?.focus();
  if (same && "selectionStart" in focus && focus.selectionStart !== null) same.setSelectionRange(focus.selectionStart, focus.selectionEnd);
}
