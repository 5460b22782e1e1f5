"""Pages of long jobs: looking at them, stopping them, starting them again."""
