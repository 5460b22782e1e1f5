"""Pages for organisers."""
