// What is typed on a page and not saved yet: it waits in this browser, for its author alone, past a closed tab. Of two windows of
// a page each keeps its own as long as it is there, also when it is loaded anew; one that is opened later has what was typed last.
const [PREFIX, SENT] = ["assay.draft.", "assay.sent."];

/**
 * The record of the page that is open. `names` are those of its parts; `read`, `keep` and
 * `forget` work on one part by its name. `send` forgets a part with these words in all windows that had begun the
 * same; `onSent(part, words)` hears of what another window sent of a part that this one keeps.
 */
export function createKept(person) {
  const name = `${PREFIX}${person}.${location.pathname}`;
  let own = load("sessionStorage", name); // this window's
  const last = () => load("localStorage", name);

  const change = (mine, all) => {
    own = mine;
    store("sessionStorage", name, own);
    store("localStorage", name, all);
  };
  return {
    names: () => Object.keys({ ...last(), ...own }),
    read: (part) => own[part] ?? last()[part] ?? null,
    keep: (part, value) => change({ ...own, [part]: value }, { ...last(), [part]: value }),
    forget(part) {
      const [{ [part]: mine, ...others }, all] = [own, last()];
      const { [part]: newest, ...rest } = all;
      const isOthers = mine !== undefined && JSON.stringify(mine) !== JSON.stringify(newest); // typed in another window since
      change(others, isOthers ? all : rest);
    },
    send(part, words) {
      this.forget(part);
      store("localStorage", `${SENT}${name}`, { part, words });
      store("localStorage", `${SENT}${name}`, {}); // the others have heard of it
    },
    onSent(act) {
      addEventListener("storage", ({ key, newValue }) => {
        const { part, words } = (key === `${SENT}${name}` && JSON.parse(newValue)) || {};
        if (part === undefined || !own[part] || !bare(words).startsWith(bare(own[part]))) return; // or words of its own
        this.forget(part);
        act(part, words);
      });
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
