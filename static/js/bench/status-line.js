// What was done last, in the foot of a bench: as high as it is, so that nothing jumps. What does not fit is written smaller;
// what does not fit then stands above the keys (CSS), until something else is said.
import { sayFirst, written } from "../web/words.js";

export function startStatusLine() {
  const line = document.querySelector("[data-did]");
  if (!line) return;
  const fit = () => {
    line.title = line.textContent;
    for (const sign of ["data-longer", "data-long"]) line.removeAttribute(sign);
    for (const sign of ["data-long", "data-longer"]) if (line.scrollHeight > line.clientHeight + 1) line.setAttribute(sign, "");
  };
  new MutationObserver(fit).observe(line, { childList: true, characterData: true, subtree: true });
  addEventListener("resize", fit);
}

/** What was done before is not said of what opens now. */
export const quiet = () => document.querySelector("[data-did]")?.replaceChildren();

/** What the page shows elsewhere is announced with what was done. */
export function addAloud(text) {
  const line = document.querySelector("[data-did]");
  const textContent = line.textContent ? endOf(line) + text : text;
  line.append(Object.assign(document.createElement("span"), { className: "visually-hidden", textContent }));
}

const endOf = (line) => (/[.!?…][”“»’"]?\s*$/.test(line.textContent) ? " " : ". ");

/** Something more is said, after what stands there. */
export function addSaid(text) {
  const line = document.querySelector("[data-did]");
  line.append(line.textContent ? endOf(line) + text : text);
}

/** What the line says now is said before what the key being handled makes it say, at once with it and not lost to it. */
export function sayOn() {
  const line = document.querySelector("[data-did]");
  if (!line.textContent) return;
  line.append(endOf(line));
  sayFirst(line);
}

/** The text of an element to stand in a sentence, in its language, and short enough for the line. */
export const quoteOf = (element, most) => written(shortened(element.textContent, most), element);

/** A text short enough for the line, with its beginning and its end. */
export function bothEnds(text, most = 64) {
  const points = [...text.replace(/\s+/g, " ").trim()];
  if (points.length <= most) return points.join("");
  return `${headOf(points, most / 2 - 1)} … ${tailOf(points, most / 2)}`;
}

/** A quote short enough for the line. */
export function shortened(text, most = 48) {
  const points = [...text.replace(/\s+/g, " ").trim()];
  return points.length > most ? `${headOf(points, most - 1)}…` : points.join("");
}

// Whole words, so that no number reads as another one; of a word that is longer than the half, as much as fits.
const WORDS = new Intl.Segmenter("en", { granularity: "word" });

function headOf(points, most) {
  const shown = points.slice(0, most).join("");
  const cut = [...WORDS.segment(points.slice(0, most + 1).join(""))].at(-1).index;
  return (cut > shown.length / 2 ? shown.slice(0, cut) : shown).trimEnd();
}

function tailOf(points, most) {
  const shown = points.slice(-most).join("");
  const [first] = WORDS.segment(points.slice(-most - 1).join(""));
  const cut = first.segment.length - points.at(-most - 1).length;
  return (cut < shown.length / 2 ? shown.slice(cut) : shown).trimStart();
}
