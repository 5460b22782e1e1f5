"""Rules and writes of analysis: agreement of judges, stability and significance of rankings."""
