"""How every page and every call of the API begins: pages, tables, forms, uploads, states, problems, guides."""
