"""The kind of work in which assessors write nugget lists."""
