"""Writing nugget lists."""
