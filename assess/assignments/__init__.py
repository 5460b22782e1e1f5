"""Assignments: who works on what, leases, hand-overs, and the numbers by which assessors know items."""
