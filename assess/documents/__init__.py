"""Documents: loading, reading, searching, lists of them, and items with the documents that they name."""
