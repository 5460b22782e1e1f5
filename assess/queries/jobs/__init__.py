"""Reads of long jobs: which are under way, and how the last ones ended."""
