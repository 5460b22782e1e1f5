"""Machine judges: their files, their judgments, and whether assessors see them."""
