// Which way a line of text runs: as its first letter does, as browsers lay it out where they choose the direction.
const LEFTWARD = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Samaritan}\p{Script=Mandaic}]/u;

/** Whether the line of a text in which this UTF-16 offset stands runs from right to left. */
function runsLeft(text, at = 0) {
  const begin = text.lastIndexOf("\n", at - 1) + 1;
  const [letter] = /\p{L}/u.exec(text.slice(begin).split("\n", 1)[0]) ?? [""];
  return LEFTWARD.test(letter);
}

/** 1 where an arrow key points on in the text, -1 where it points back; for ArrowRight and ArrowLeft. */
export function onwardBy(key, text, at = 0) {
  return (key === "ArrowRight") === runsLeft(text, at) ? -1 : 1;
}
