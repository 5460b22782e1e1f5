"""Pools: chosen, planned, built, grown, and how well they serve."""
