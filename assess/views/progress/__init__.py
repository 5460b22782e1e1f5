"""Pages of progress: what is done, how fast, and what is stuck."""
