"""Pages about scores."""
