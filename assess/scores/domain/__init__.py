"""Rules and writes."""
