"""The kind of work in which assessors group answers that say the same."""
