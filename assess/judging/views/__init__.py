"""The pages on which items are judged."""
