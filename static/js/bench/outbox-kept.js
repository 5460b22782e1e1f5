// What the site could not place, as its numbers have changed since, and typed words and chosen snippets that it refused and no field holds: it is no more sent, and not
// thrown away either. It stays in this browser, in sight on every bench, until its author has discarded it; until then it can be copied.
import { copyText } from "../web/copy.js";
import { quoted, worded } from "../web/words.js";

const CODE = "unknown-item";
const TYPED = ["note", "text", "label"];
const inMemory = []; // where the browser keeps nothing

/** Whether a refusal says that what the entry is about is not known by this number. */
export function isUnplaced(json) {
  return json.code === CODE;
}

/** Whether somebody typed words of it, or chose snippets, which would be lost where they don't stand in their field again. */
export function isTyped(entry) {
  const { fields } = entry;
  return TYPED.some((name) => fields[name]?.trim()) || Boolean(fields.value?.startsWith?.('{"text"')) || newSnippets(entry).length > 0;
}

/** The quotes that came with it and did not stand there before. */
export function newSnippets({ fields: { evidence, shown } }) {
  const before = JSON.parse((evidence && shown) || "{}").evidence ?? [];
  return quotesOf(evidence).filter((quote) => !before.some(([there]) => there === quote));
}

const quotesOf = (evidence) => JSON.parse(evidence || "[]").map(({ quote }) => quote);

/** Keep an entry that was refused, with the sentence that says why, and show it. */
export function keepAside(person, entry, why) {
  const kept = { ...entry, why };
  try {
    localStorage.setItem(prefixOf(person) + entry.fields.client_key, JSON.stringify(kept));
  } catch {
    inMemory.push(kept);
  }
  showKept(person);
}

/** Show what is kept of this person, above the page; nothing where there is none. */
export function showKept(person) {
  document.querySelector("[data-kept-aside]")?.remove();
  const entries = all(person);
  if (!entries.length) return;
  const box = element("section", { className: "notice warn", role: "alert" });
  box.dataset.keptAside = "";
  const sentence = entries.length === 1 ? worded("This was not saved, and is kept in this browser.")
    : worded("These {number} were not saved, and are kept in this browser.", { number: entries.length });
  box.append(element("p", {}, element("strong", {}, sentence), worded(" {why} Do it again there, then discard it here.", { why: entries[0].why })));
  box.append(element("ul", {}, ...entries.map((entry) => lineOf(person, entry))));
  document.querySelector("main").prepend(box);
}

function lineOf(person, entry) {
  const work = element("a", { href: new URL("..", new URL(entry.url, location.href)).href }, worded("Open that work"));
  const copy = element("button", { type: "button" }, worded("Copy"));
  copy.addEventListener("click", async () => {
    copy.textContent = (await copyText(JSON.stringify(entry, null, 1))) ? worded("Copied ✓") : worded("Not copied: the browser does not allow it");
  });
  const discard = element("button", { type: "button" }, worded("Discard"));
  discard.addEventListener("click", () => {
    drop(person, entry);
    showKept(person);
  });
  return element("li", {}, `${new Date(entry.at).toLocaleString()}: ${wordsOf(entry)} `, work, " ", copy, " ", discard);
}

// What was said, without what names and times it.
function wordsOf({ fields }) {
  const { client_key: _, shown: __, how: ___, seconds: ____, draft: _____, offered: ______, ...said } = fields;
  const words = (name, value) => (name === "evidence" ? quotesOf(value).map(quoted).join(" ") : value);
  return Object.entries(said).map(([name, value]) => [name, words(name, value)]).filter(([, value]) => value !== "").map((pair) => pair.join(" ")).join(", ");
}

function all(person) {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(prefixOf(person)));
    const stored = names.map((name) => JSON.parse(localStorage.getItem(name)));
    return [...stored, ...inMemory].sort((a, b) => a.at - b.at);
  } catch {
    return inMemory;
  }
}

function drop(person, entry) {
  const place = inMemory.findIndex((kept) => kept.fields.client_key === entry.fields.client_key);
  if (place >= 0) inMemory.splice(place, 1);
  try { localStorage.removeItem(prefixOf(person) + entry.fields.client_key); } catch { /* was never kept */ }
}

function prefixOf(person) {
  return `assay.kept.${person}.`;
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
