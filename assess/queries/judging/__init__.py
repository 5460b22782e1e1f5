"""Reads of judging: what assessors, adjudicators and machine judges say of items."""
