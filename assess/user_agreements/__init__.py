"""User agreements: what teams promise before they get documents, and what is closed until they do."""
