// Lines set aside for later: kept by the server, or where the bench has no address for that (adjudication), in this browser.

/** Takes the frame of a bench. */
export function createLater({ bench, send }) {
  const { assignment, setAside } = bench.dataset;
  const store = `assay.later.${assignment}`;
  const here = new Set(read(store));

  const tell = (id, waits, more = {}) => send(setAside, { item: id, assignment, ...more }, waits);
  const keep = () => {
    try { localStorage.setItem(store, JSON.stringify([...here])); } catch { /* for this page only */ }
  };

  return {
    has: ({ dataset }) => "later" in dataset || here.has(dataset.item),

    /** Set a line aside, or with `isBack` not any more; the client keys of what is sent of it. */
    set(line, isBack = false) {
      const before = line.later;
      line.later = !isBack;
      if (setAside) return [tell(line.id, { thing: line, back: () => { line.later = before; } }, isBack ? { back: "1" } : {}).fields.client_key];
      here[isBack ? "delete" : "add"](line.id);
      keep();
      return [];
    },

    /** What this browser kept before the server did goes there, once. */
    takeOver() {
      if (!setAside || !here.size) return;
      for (const id of here) tell(id);
      localStorage.removeItem(store);
    },
  };
}

function read(store) {
  try { return JSON.parse(localStorage.getItem(store)) ?? []; } catch { return []; }
}
