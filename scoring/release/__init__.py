"""A release as files: recorded acts, tables of scores and agreement, and scores that explain themselves."""
