// Lines that have what somebody types: words in any order, without differences of case and accents.

/** A text without differences of case and accents. */
export const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** The words that are typed, folded. */
export const wordsOf = (typed) => folded(typed).split(/\s+/).filter(Boolean);

/** Whether an element of a list has all of these words, in what is shown of it or in its title. */
export function hasWords(element, typed) {
  if (!typed) return true;
  const line = element.querySelector(".words");
  const text = folded(`${line.textContent} ${line.title}`);
  return wordsOf(typed).every((word) => text.includes(word));
}
