"""Ledgers: tables whose rows are added and never changed."""
