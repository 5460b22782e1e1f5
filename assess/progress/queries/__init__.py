"""Reads without side effects."""
