"""Votes on the importance of nuggets."""
