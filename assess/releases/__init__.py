"""Releases and backups: made, verified, loaded again."""
