"""Documents: loading, reading, searching and listing them, and the items that name them."""
