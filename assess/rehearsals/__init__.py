"""Campaigns played before they begin."""
