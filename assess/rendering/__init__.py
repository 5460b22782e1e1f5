"""Crawled documents made safe to show, and the text of them that counts for judging. Knows no Django."""
