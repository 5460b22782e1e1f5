"""The pages of analyses."""
