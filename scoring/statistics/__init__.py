"""Statistics over judges and runs: agreement, correlation, confidence intervals, paired tests, and comparisons of all
runs.
"""
