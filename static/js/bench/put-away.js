// The field of a note and the box of snippets are put away while the grade in hand takes none, unless something is there.
import { worded } from "../web/words.js";

export const refuses = (grade, what) => Boolean(grade?.dataset.refuses?.split(" ").includes(what));

/** `grades` are the buttons of what is given or waits; a note of the whole item is put away where all of them take none. */
export function putNoteAway(field, grades) {
  const isEmpty = !field.value && field !== document.activeElement;
  putAway(field.closest(".field"), isEmpty && grades.length > 0 && grades.every((grade) => refuses(grade, "note")), () => (
    worded("“{grade}” takes no note.", { grade: grades[0].dataset.grade })));
}

export function putSnippetsAway(box, grade, snippets) {
  putAway(box, !snippets?.length && refuses(grade, "evidence"), () => (
    worded("“{grade}” takes no snippet.", { grade: grade.dataset.grade })));
}

// Its keys say why they do nothing now (keys.js).
function putAway(part, isAway, why) {
  part.hidden = isAway;
  if (isAway) part.dataset.whyNot = why();
  else delete part.dataset.whyNot;
}
