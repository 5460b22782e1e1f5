// The two fields above a list: words that its lines must have (/), and the number of the line to go to (#).

/** `show(words)` shows the lines with these words, `first()` goes to the first of them, `jump(text)` to a number; `back()` takes the focus back to the work. */
export function startListTools(bench, { show, first, jump, back }) {
  const tools = bench.querySelector("[data-list-tools]");
  if (!tools) return;
  const [words, place] = [tools.querySelector("[data-list-words]"), tools.querySelector("[data-list-place]")];
  tools.hidden = false;
  words.addEventListener("input", () => show(words.value.trim()));
  tools.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      if (event.target === words) show(words.value = "");
      back();
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (event.target !== place) return void first();
    const number = place.value.replace(/[#\s]/g, ""); // its key again, in the field
    place.value = "";
    jump(number);
  });
}
