"""The kind of work in which assessors mark which nuggets an item contains."""
