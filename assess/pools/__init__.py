"""Pools: chosen, planned, built, grown, and examined for how well they serve."""
