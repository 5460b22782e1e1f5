// Writing marks and reviews: shown at once as waiting, sent through the outbox, put back when the server refuses them.
import { worded } from "../web/words.js";
export function createWriter({ frame, marks, repaint }) {
  const { bench, say, isPending } = frame;
  const { mark: markUrl, review: reviewUrl, askUrl, assignment, list } = bench.dataset;

  const send = (item, url, fields, back) => {
    const what = `${url} ${fields.nugget ?? ""} ${fields.part ?? ""}`;
    const { client_key: key } = frame.send(url, { ...fields, assignment }, { thing: item, what, back }).fields;
    repaint();
    return key;
  };

  // Where a later change of the same string is still on its way, its own answer says what stands.
  const settle = (entry, json) => {
    const item = marks.item(entry.fields.item ?? entry.fields.items);
    if (!item || isPending(item)) return;
    if (entry.url === markUrl) marks.set(item, { number: json.nugget, part: json.part, value: json.value ?? "", quote: json.quote });
    if (entry.url === reviewUrl) marks.setState(item, json.is_reviewed ? "judged" : "open");
  };

  return {
    takeAnswer(entry, json) {
      if (entry.url === askUrl) say(worded("Asked. The organiser will answer; go on with the rest."));
      if (entry.fields.assignment !== assignment) return;
      settle(entry, json);
      repaint();
    },
    takeRefusal: repaint,

    /** Says a nugget to be there ("full", "partial"), expressly not there ("absent"), or withdraws what was said (""). */
    mark(item, row, { part, value, quote, span, how, offered = "" }) {
      const was = [marks.mark(item, row.number, part) ?? { number: row.number, part, value: "", quote: "" }];
      if (value !== "") was.push(...marks.replacedBy(item, row.number, part));
      const shown = JSON.stringify(marks.shown(item, row.number));
      marks.set(item, { number: row.number, part, value, quote });
      const nugget = row.button.closest("[data-nugget]").dataset.id;
      return send(item, markUrl, { item: item.id, nugget, part, value, quote, span, how, shown, offered }, () => was.forEach((mark) => marks.set(item, mark)));
    },

    review(item, isReviewed, how) {
      const was = item.state;
      marks.setState(item, isReviewed ? "judged" : "open");
      return send(item, reviewUrl, { items: item.id, is_reviewed: isReviewed ? "1" : "0", list, how }, () => marks.setState(item, was));
    },

    ask: (fields) => frame.send(askUrl, { ...fields, assignment }),
  };
}
