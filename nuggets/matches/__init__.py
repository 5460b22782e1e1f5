"""Which nuggets an item contains."""
