// What is typed on a page and not saved yet: it waits in this browser, for its author alone, past a closed tab. Of two windows of
// a page each keeps its own as long as it is there, also when it is loaded anew; one that is opened later has what was typed last.
const [PREFIX, SENT] = ["assay.draft.", "assay.sent."];
const SENT_KEPT = 20; // of as many parts it is known what was sent last

/**
 * The record of the page that is open. `names` are those of its parts; `read`, `keep` and
 * `forget` work on one part by its name. `send` forgets a part with these words in all windows that had begun the
 * same, also in those that sleep or are loaded anew later; `onSent(part, words)` hears of what another window sent of a
 * part that this one keeps.
 */
export function createKept(person) {
  const name = `${PREFIX}${person}.${location.pathname}`;
  const sentName = `${SENT}${name}`;
  let own = load("sessionStorage", name); // this window's
  const last = () => load("localStorage", name);
  const sent = () => load("localStorage", sentName); // by part, until something is typed there again
  const wasSent = (part) => part in sent() && part in own && bare(sent()[part]).startsWith(bare(own[part])); // not words of its own

  const change = (mine, all) => {
    own = mine;
    store("sessionStorage", name, own);
    store("localStorage", name, all);
  };
  const without = (part, { [part]: _, ...others }) => others;
  const forget = (part) => {
    const isOthers = part in own && JSON.stringify(own[part]) !== JSON.stringify(last()[part]); // typed in another window since
    change(without(part, own), isOthers ? last() : without(part, last()));
  };
  for (const part of Object.keys(own).filter(wasSent)) forget(part);

  return {
    forget,
    names: () => Object.keys({ ...last(), ...own }),
    read: (part) => own[part] ?? last()[part] ?? null,
    keep(part, value) {
      change({ ...own, [part]: value }, { ...last(), [part]: value });
      if (part in sent()) store("localStorage", sentName, without(part, sent()));
    },
    send(part, words) {
      forget(part);
      if (!words.trim()) return;
      const others = Object.entries(without(part, sent())).slice(1 - SENT_KEPT);
      store("localStorage", sentName, Object.fromEntries([...others, [part, words]]));
    },
    onSent(act) {
      const look = () => {
        for (const part of Object.keys(own).filter(wasSent)) {
          forget(part);
          act(part, sent()[part]);
        }
      };
      addEventListener("storage", ({ key }) => { if (key === sentName) look(); });
      document.addEventListener("visibilitychange", look);
      addEventListener("pageshow", look);
    },
  };
}

/** Whether two texts say the same: the site keeps them without further white space. */
export function isSame(one, other) {
  return bare(one) === bare(other);
}

function bare(text) {
  return text.replace(/\s+/g, " ").trim();
}

function load(storage, name) {
  try {
    return JSON.parse(window[storage].getItem(name)) ?? {};
  } catch {
    return {};
  }
}

function store(storage, name, record) {
  try {
    if (Object.keys(record).length) window[storage].setItem(name, JSON.stringify(record));
    else window[storage].removeItem(name);
  } catch { /* kept until the page is left */ }
}
