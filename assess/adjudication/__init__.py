"""Where people do not agree, how it is settled, and what that does to scores."""
