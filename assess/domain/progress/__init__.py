"""Rules and writes of progress: work counted, and kept."""
