"""Practice before work: its items, its answers, and who has passed it."""
