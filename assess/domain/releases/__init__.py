"""Rules and writes of releases: exports, releases, backups."""
