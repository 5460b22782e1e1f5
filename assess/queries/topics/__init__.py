"""Reads of topics: the list, one topic, what assessors see of it."""
