"""Pages of scores: computing, explaining, reporting them."""
