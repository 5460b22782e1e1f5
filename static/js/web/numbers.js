// Numbers as people type them, with a point or a comma: the same rule as `typed_number` of the server. What may be two
// numbers is told, never guessed: the browsers' own number fields drop a comma and take 0,05 for 5.
import { worded } from "./words.js";

const SPACED = /(?<=\d)[\s'’](?=\d{3}(?!\d))/g;
const DECIMAL = /^[+-]?\d*[.,]?\d*(e[+-]?\d+)?$/i;
const THOUSANDS = /^([+-]?[1-9]\d{0,2}(?:([.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;

const point = () => new Intl.NumberFormat(document.documentElement.lang || "en").format(1.5)[1];

/** {number}, or {problem: a sentence} for what is no number or may be two. */
export function typedNumber(text) {
  const bare = text.trim().replace(SPACED, "");
  const [, digits, mark, rest] = THOUSANDS.exec(bare) ?? [];
  if (digits) {
    const whole = digits.replaceAll(mark, "");
    if (rest !== undefined || digits.split(mark).length > 2) return { number: Number(rest === undefined ? whole : `${whole}.${rest}`) };
    if (mark !== point()) {
      const one = writtenNumber(Number(digits.replace(mark, ".")));
      return { problem: worded("“{typed}” may be {one} or {other}. Write one of these.", { typed: text.trim(), one, other: whole }) };
    }
  }
  const number = DECIMAL.test(bare) ? Number(bare.replace(",", ".")) : NaN;
  return bare && Number.isFinite(number) ? { number } : { problem: worded("“{typed}” is not a number.", { typed: text.trim() }) };
}

/** A number as somebody who reads this page writes it, without thousands set apart. */
export function writtenNumber(number) {
  return String(number).replace(".", point());
}
