"""Pages of releases: exports, releases, backups."""
