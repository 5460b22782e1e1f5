"""Queries about judgments, without side effects."""
