"""Recorded judgments, done again through the functions that pages call."""
