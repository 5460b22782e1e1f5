"""Rules and writes of runs."""
