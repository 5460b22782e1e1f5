"""Reads: querysets and frozen records, no side effects."""
