"""Notices by mail, for people who want them."""
