"""Pages about work."""
