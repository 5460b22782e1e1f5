"""Pages about pools."""
