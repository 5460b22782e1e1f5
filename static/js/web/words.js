// What scripts say, in the language of the page: `worded(text, values)`, with the text written out in the call and names in
// braces for what is put in, such as {n}. The page brings the words of its language (`script_words`); English stands here.

const block = document.getElementById("words");
const words = block ? JSON.parse(block.textContent) : {};

// Somebody's text within a sentence stands between these signs, which show nothing, after its language in signs like them.
const [BEGINS, ENDS, TAGS] = ["\u2068", "\u2069", 0xe0000];
const first = new WeakMap(); // by element: what is shown there before what is told next
const WRITTEN = /\u2068([\u{e0020}-\u{e007e}]*)([^\u2069]*)\u2069/u;

/** Somebody's text to stand in a sentence that `tell` shows, in the language of the element that it is from. */
export function written(text, element) {
  const lang = (element?.closest("[lang]") ?? document.documentElement).lang;
  const tags = [...lang].map((sign) => String.fromCodePoint(TAGS + sign.codePointAt(0)));
  return [BEGINS, ...tags, text.replace(/[\u2066-\u2069]/g, ""), ENDS].join("");
}

/** Show a sentence in an element, each text that was `written` into it as an element in its own direction and language. */
export function tell(element, sentence) {
  const parts = String(sentence ?? "").split(WRITTEN); // what the page says, the signs of a language, a text in it, and so on
  element.replaceChildren(...(first.get(element) ?? []), ...parts.flatMap((part, at) => {
    if (at % 3 !== 2) return at % 3 ? [] : part;
    const lang = [...parts[at - 1]].map((sign) => String.fromCodePoint(sign.codePointAt(0) - TAGS)).join("");
    return Object.assign(document.createElement("bdi"), { lang, textContent: part });
  }));
}

/** What stands in an element is shown again with what is told there next in this turn, before it; or else at its end. */
export function sayFirst(element) {
  const nodes = [...element.childNodes];
  first.set(element, nodes);
  element.replaceChildren();
  setTimeout(() => {
    first.delete(element);
    if (!nodes.some((node) => node.parentNode === element)) element.prepend(...nodes);
  });
}

/** Somebody's words in the quotation marks of the page's language. */
export const quoted = (text) => worded("“{text}”", { text });

export function worded(text, values = {}) {
  return (words[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}
