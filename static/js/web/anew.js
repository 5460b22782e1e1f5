// A page comes anew when a job that it watches has ended. Where somebody typed on it, or works in it, #anew says so instead.
let isTyped = false;

/** Whether somebody works in a part: it has the focus, or selected text. */
export function isInUse(part) {
  const selection = document.getSelection();
  const hasText = selection && !selection.isCollapsed && part.contains(selection.anchorNode);
  return hasText || part.contains(document.activeElement);
}

export function comeAnew() {
  const line = document.getElementById("anew");
  const parts = [...document.getElementById("main").children];
  if (line && (isTyped || "stays" in line.dataset || parts.some(isInUse))) line.hidden = false;
  else window.location.reload();
}

export function startAnew() {
  document.addEventListener("input", () => { isTyped = true; });
  document.addEventListener("job-ended", comeAnew); // by the header HX-Trigger
}
