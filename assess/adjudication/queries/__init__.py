"""Queries about disagreements, without side effects."""
