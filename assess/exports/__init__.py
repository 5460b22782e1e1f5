"""The records of a campaign as files, with the names that its track gives them."""
