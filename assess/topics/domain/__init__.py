"""Loading topics, and changing them once a campaign has begun."""
