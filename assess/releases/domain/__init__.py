"""Rules and writes of releases and backups."""
