"""Pages of analysis: agreement of judges, stability and significance of rankings."""
