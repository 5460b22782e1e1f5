// What is typed on a page and not saved yet: it waits in this browser, for its author alone, past a closed tab.
const PREFIX = "assay.draft.";

/**
 * The record of the page that is open. `names` are those of its parts; `read`, `keep` and
 * `forget` work on one part by its name.
 */
export function createKept(person) {
  const name = `${PREFIX}${person}.${location.pathname}`;
  let record = load(name);

  const store = () => {
    try {
      if (Object.keys(record).length) localStorage.setItem(name, JSON.stringify(record));
      else localStorage.removeItem(name);
    } catch { /* kept until the page is left */ }
  };
  return {
    names: () => Object.keys(record),
    read: (part) => record[part] ?? null,
    keep(part, value) {
      record = { ...record, [part]: value };
      store();
    },
    forget(part) {
      const { [part]: _, ...others } = record;
      record = others;
      store();
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

function load(name) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? {};
  } catch {
    return {};
  }
}
