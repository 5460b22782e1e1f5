// What waits in this browser to be sent: an entry each, by its key, so that windows don't write over one another's.

export function createStorage(person) {
  const prefix = `assay.outbox.${person}.`;
  const nameOf = (entry) => prefix + entry.fields.client_key;

  return {
    /** All that waits, in the order in which it was said. */
    read() {
      try {
        return Object.keys(localStorage).filter((name) => name.startsWith(prefix))
          .map((name) => JSON.parse(localStorage.getItem(name))).sort((a, b) => a.at - b.at);
      } catch {
        return [];
      }
    },

    keep(entry) {
      try { localStorage.setItem(nameOf(entry), JSON.stringify(entry)); } catch { /* kept in memory */ }
    },

    forget(entry) {
      try { localStorage.removeItem(nameOf(entry)); } catch { /* was never kept */ }
    },
  };
}
