"""Notices by mail, for whoever wants them."""
