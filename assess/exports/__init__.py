"""The records of a campaign as files, by the names that its track gives them."""
