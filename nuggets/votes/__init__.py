"""The kind of work in which assessors vote on the importance of nuggets."""
