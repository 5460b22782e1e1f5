"""Rules and writes of rehearsals: a campaign played before it begins."""
