"""Make crawled documents safe to show, and extract the text that counts for judging. It doesn't import Django."""
