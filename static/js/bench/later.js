// Lines set aside for later: kept by the server, or where the bench has no address for that (adjudication), in this browser.

/** Takes the frame of a bench. */
export function createLater({ bench, send }) {
  const { assignment, setAside } = bench.dataset;
  const store = `assay.later.${assignment}`;
  const here = new Set(read(store));

  const tell = (id, waits) => send(setAside, { item: id, assignment }, waits);

  return {
    has: ({ dataset }) => "later" in dataset || here.has(dataset.item),

    add(line) {
      const before = line.later;
      line.later = true;
      if (setAside) return void tell(line.id, { thing: line, back: () => { line.later = before; } });
      here.add(line.id);
      try { localStorage.setItem(store, JSON.stringify([...here])); } catch { /* for this page only */ }
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
