// Writing marks and reviews: shown at once as waiting, sent through the outbox, put back when the server refuses them.
import { createOutbox } from "../bench/outbox.js";

export function createWriter({ bench, marks, say, repaint }) {
  const { mark: markUrl, review: reviewUrl, askUrl, assignment } = bench.dataset;
  const before = new Map(); // client_key -> how to go back

  const settle = (entry, act) => {
    const known = before.get(entry.fields.client_key);
    before.delete(entry.fields.client_key);
    if (entry.fields.assignment !== assignment) return;
    const item = marks.item(entry.fields.item ?? entry.fields.items);
    if (item) {
      if (known) item.pending = Math.max(0, item.pending - 1);
      act(item, known);
    }
    repaint();
  };

  const outbox = createOutbox({
    person: document.body.dataset.person,
    status: bench.querySelector("[data-save-status]"),
    onAnswer(entry, json) {
      if (entry.url === askUrl) say("Asked. The organiser will answer; go on with the rest.");
      settle(entry, (item) => {
        if (item.pending) return; // a later change of the same string is still on its way
        if (entry.url === markUrl) marks.set(item, { number: json.nugget, part: json.part, value: json.value ?? "", quote: json.quote });
        if (entry.url === reviewUrl) item.state = json.is_reviewed ? "judged" : "open";
      });
    },
    onRefused(entry, json) {
      settle(entry, (item, known) => known?.(item));
      say(`Not saved: ${json.detail}`);
    },
  });

  const send = (item, url, fields, back) => {
    item.pending += 1;
    const entry = outbox.send({ url, fields: { ...fields, assignment } });
    before.set(entry.fields.client_key, back);
    repaint();
  };

  return {
    outbox,

    /** Says a nugget to be there ("full", "partial"), expressly not there ("absent"), or withdraws what was said (""). */
    mark(item, row, { part, value, quote, span, how }) {
      const was = [marks.mark(item, row.number, part) ?? { number: row.number, part, value: "", quote: "" }];
      if (value !== "") was.push(...marks.replacedBy(item, row.number, part));
      const shown = JSON.stringify(marks.shown(item, row.number));
      marks.set(item, { number: row.number, part, value, quote });
      const nugget = row.button.closest("[data-nugget]").dataset.id;
      send(item, markUrl, { item: item.id, nugget, part, value, quote, span, how, shown }, (back) => was.forEach((mark) => marks.set(back, mark)));
    },

    review(item, isReviewed, how) {
      const was = item.state;
      item.state = isReviewed ? "judged" : "open";
      send(item, reviewUrl, { items: item.id, is_reviewed: isReviewed ? "1" : "0", how }, (back) => { back.state = was; });
    },

    ask: (fields) => outbox.send({ url: askUrl, fields: { ...fields, assignment } }),
  };
}
