"""Scores of runs, the reasons for them, and the reports for teams."""
