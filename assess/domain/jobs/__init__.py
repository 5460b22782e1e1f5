"""Rules and writes of long jobs: in the background, watched, stopped, started again."""
