"""Agreement between judges, stability of rankings, and significance of differences."""
