"""Pages about releases."""
