"""Items, which are what assessors judge, and which of them are pooled."""
