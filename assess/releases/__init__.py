"""Releases and backups: making, verifying and loading them."""
