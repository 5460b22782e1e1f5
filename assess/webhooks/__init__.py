"""Webhooks, which report a campaign's events to its organisers' programs."""
