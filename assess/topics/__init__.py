"""Topics: loading them, listing them, what assessors see of them beside the work."""
