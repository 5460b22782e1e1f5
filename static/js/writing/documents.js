// The documents of the topic beside the list: opened by key, one after the other, and marked by keys, sentence by sentence.
import { startSentences } from "../bench/text-sentences.js";
import { worded } from "../web/words.js";

export function startDocuments(bench, { strings, say, afterTaking }) {
  const { opened } = strings;
  const links = [...bench.querySelectorAll("[data-open-topic-document]")];
  const docnos = links.map((link) => link.dataset.openTopicDocument);
  const shown = () => opened.hidden ? null : opened.querySelector(".opened-document");
  let leave = null;

  const paint = () => {
    const docno = shown()?.dataset.openedDocno;
    for (const link of links) link.toggleAttribute("aria-current", link.dataset.openTopicDocument === docno);
  };
  const open = async (docno) => {
    leave?.();
    const isOpen = await strings.openTopicDocument(docno);
    paint();
    return isOpen;
  };
  const openAndSay = async (docno) => {
    if (await open(docno)) strings.sayOpened();
  };
  const next = () => openAndSay(docnos[(docnos.indexOf(shown()?.dataset.openedDocno) + 1) % docnos.length]);

  const chooseSentences = async () => {
    if (!shown() && docnos.length) await open(docnos[0]);
    else if (!shown() && strings.current) await strings.openDocumentOf(strings.current);
    if (!shown()?.querySelector("[data-document]")) {
      say(strings.current || shown() ? worded("There is no document here to choose from.") : worded("Take a {unit} in hand first (j), or open a document.", { unit: bench.dataset.unit }));
      return;
    }
    if (!opened.querySelector("[data-text]")) await strings.openText();
    const text = opened.querySelector("[data-text]");
    leave?.();
    if (!text) say(worded("This document has no text to choose from, or it can't be loaded now."));
    else leave = startSentences(text, { say, onTake: afterTaking, onLeave: () => { leave = null; } });
  };

  bench.addEventListener("click", (event) => {
    const link = event.target.closest("[data-open-topic-document]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      openAndSay(link.dataset.openTopicDocument);
    } else if (event.target.closest("[data-next-document]")) next();
    else if (event.target.closest("[data-mark-sentences]")) chooseSentences();
  });
  for (const button of bench.querySelectorAll("[data-next-document], [data-mark-sentences]")) button.hidden = false;
  paint();
}
