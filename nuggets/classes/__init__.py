"""Grouping answers that say the same."""
