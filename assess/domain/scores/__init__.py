"""Rules and writes of scores: computing, explaining, reporting them."""
