"""Control items: unannounced repeats and gold items in assignments, and how consistently people judge them."""
