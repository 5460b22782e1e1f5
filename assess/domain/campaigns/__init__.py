"""Rules and writes of campaigns: making, setting, freezing them, and when runs are due."""
