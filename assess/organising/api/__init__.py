"""Calls of the API for organisers."""
