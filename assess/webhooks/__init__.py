"""Webhooks: what happens in a campaign, told to programs of its organisers."""
