"""Crawled documents made safe to show, and the text of them that counts for judging. It doesn't import Django."""
