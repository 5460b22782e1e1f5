"""Nugget lists, votes, matches and answer classes."""
