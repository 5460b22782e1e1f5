"""Replay recorded judgments through the functions that pages call."""
