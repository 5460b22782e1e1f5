"""Runs: submitted, checked, repaired, replaced, withdrawn."""
