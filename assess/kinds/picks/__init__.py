"""Picking items and putting them in order."""
