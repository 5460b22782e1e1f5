"""Topics while assessors make them: what a draft says, what was found for it, what it is like, what becomes of it."""
