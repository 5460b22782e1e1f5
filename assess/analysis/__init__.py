"""Agreement of judges, stability of rankings, significance of differences."""
