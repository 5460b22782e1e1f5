"""Campaigns: their members, guidelines, dates, deadlines and activities, and when they are closed."""
