"""Queries about assignments, without side effects."""
