"""Disagreements between assessors, and how adjudicators settle them."""
