"""Topics that assessors make: writing drafts, what is found on the way, and what the organiser decides."""
