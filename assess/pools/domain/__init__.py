"""Rules and writes of pools."""
