// What scripts say, in the language of the page: `worded(text, values)`, with the text written out in the call and names in
// braces for what is put in, such as {n}. The page brings the words of its language (`script_words`); English stands here.

const block = document.getElementById("words");
const words = block ? JSON.parse(block.textContent) : {};

/** Somebody's words in the quotation marks of the page's language. */
export const quoted = (text) => worded("“{text}”", { text });

export function worded(text, values = {}) {
  return (words[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}
