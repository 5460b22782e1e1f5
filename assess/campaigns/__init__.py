"""Campaigns: who sits in them, their guidelines, dates and deadlines, what was done, when they close."""
