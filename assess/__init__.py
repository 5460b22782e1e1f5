"""Campaigns, topics, documents, runs, pools, people, assignments and judgments."""
