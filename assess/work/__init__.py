"""Who gets what, and an assessor's own way through it."""
