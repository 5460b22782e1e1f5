"""Statistics over judges and runs: agreement, correlation, confidence intervals, paired tests, comparing all runs."""
