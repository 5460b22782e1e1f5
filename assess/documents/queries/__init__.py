"""Queries about documents, without side effects."""
