"""Who gets which work, and an assessor's own way through it."""
