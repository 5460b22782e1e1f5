"""Reads of runs: submitting, checking, mending, withdrawing them."""
