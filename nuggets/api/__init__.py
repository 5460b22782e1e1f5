"""Nuggets and answer classes over HTTP."""
