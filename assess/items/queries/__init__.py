"""Reads, without side effects."""
