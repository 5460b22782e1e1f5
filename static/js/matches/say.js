// What is said of nuggets in the string in hand: there, there in part, expressly not there, with a quote, or as part k.
import { addAloud, quoteOf, shortened } from "../bench/status-line.js";
import { worded } from "../web/words.js";

export const DONE = { full: worded("is in"), partial: worded("is partly in"), absent: worded("is not in"), "": worded("is not marked any more in") };

const INSTEAD = { part: worded(", instead of the nugget as a whole"), whole: worded(", instead of its parts") };

export function createSaying({ marks, writer, undo, hand, painter, say, isEditable, strings, current, repaint }) {
  const string = () => strings().current;

  function change(row, { part = 0, value, quote = "", span = "" }, how, at = string()) {
    if (!row || !at || !isEditable) return;
    const item = marks.itemOf(at);
    const before = marks.mark(item, row.number, part);
    const replaced = value === "" ? [] : marks.replacedBy(item, row.number, part);
    const was = [{ part, value: before?.value ?? "", quote: before?.quote ?? "" }, ...replaced.map((mark) => ({ ...mark }))];
    const sent = writer.mark(item, row, { part, value, quote, span, how, offered: part ? "" : marks.drafts(at).get(row.number) ?? "" });
    undo.push({ kind: "mark", item: item.id, number: row.number, was: replaced.length ? was.slice(1) : was }, sent);
    sayOf(row, { part, value, quote, whole: replaced.length ? INSTEAD[part ? "part" : "whole"] : "" }, at);
  }

  function sayOf(row, { part = 0, value, quote = "", whole = "" }, at = string()) {
    const name = part ? `${row.number}.${part}` : row.number;
    say(worded("Nugget {name} “{text}” {value} [{letter}]{quote}{whole}", { name, text: quoteOf(row.words), value: DONE[value], letter: at.dataset.letter, quote: quote ? worded(", with its quote") : "", whole }));
  }

  const ownPart = (item, number) => [...item.marks.values()].find((mark) => mark.number === number && mark.part && marks.isThere(mark));

  return {
    /** There, or where it was there before, not said any more; a part of it that is here is taken back first. */
    toggle(row, how, at = string()) {
      const item = at && marks.itemOf(at);
      if (!row || !item) return;
      const part = ownPart(item, row.number);
      const isHere = ["full", "partial"].includes(marks.said(item, row.number));
      if (part) change(row, { part: part.part, value: "" }, how, at);
      else change(row, { value: isHere ? "" : "full" }, how, at);
    },

    /** One value for the nugget in hand; then the next nugget in sight is in hand, after the last the first. */
    all(value, how) {
      const row = hand.nugget;
      if (!row || !string() || !isEditable) return;
      if (marks.said(marks.itemOf(string()), row.number) !== value) change(row, { value }, how);
      else sayOf(row, { value });
      hand.goOn();
      addAloud(worded("Next: nugget {number} “{text}”", { number: hand.nugget.number, text: shortened(hand.nugget.text) }));
      repaint();
    },

    /** The lowest part of the nugget in hand that no string of the response has yet; one that is here is taken back. */
    part(how) {
      if (!hand.nugget || !string()) return;
      const next = marks.nextPart(marks.itemOf(string()), hand.nugget.number, current());
      change(hand.nugget, { part: next.part, value: next.isOwn ? "" : "full" }, how);
    },

    /** The marked words as the quote of the nugget in hand. */
    quote(how) {
      const { marked } = strings();
      const item = string() && marks.itemOf(string());
      const part = item && hand.nugget && ownPart(item, hand.nugget.number);
      const there = part || (item && hand.nugget && marks.mark(item, hand.nugget.number));
      if (!marked || marked.item !== string()?.dataset.string) say(worded("Mark words in this string first (→, with Shift for more)."));
      else change(hand.nugget, { part: part?.part ?? 0, value: there?.value === "partial" ? "partial" : "full", quote: marked.quote, span: marked.span }, how);
    },

    /** "yes" or "no" to the nugget suggested for the string in hand, or to what a draft says of it; "all": to all drafts. */
    suggestion(answer, how) {
      const [number] = string() ? marks.suggested(string()) : [];
      const drafts = string() ? marks.openDrafts(string()) : [];
      const draft = drafts.find((each) => each.number === number)?.value;
      if (answer === "all" && drafts.length) {
        for (const each of drafts) change(painter.row(each.number), { value: each.value }, how);
        say(worded("Drafts accepted for [{letter}]: {length}. Undo takes them back one by one.", { letter: string().dataset.letter, length: drafts.length }));
      } else if (number === undefined || answer === "all") say(answer === "all" ? worded("No draft is left for this string.") : worded("Nothing is suggested for this string."));
      else if (answer === "yes" || draft) {
        const refused = draft === "absent" ? "full" : "absent";
        hand.take(painter.row(number), false);
        change(painter.row(number), { value: answer === "yes" ? (draft ?? "full") : refused }, how);
      } else {
        marks.itemOf(string()).dismissed.add(number);
        repaint();
      }
    },
  };
}
