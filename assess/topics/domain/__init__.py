"""Load topics, and change them after a campaign has begun."""
