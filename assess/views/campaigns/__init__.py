"""Pages of campaigns: their overview, settings, activity, freezing."""
