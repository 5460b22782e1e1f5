"""The pages of adjudication."""
