"""What organisers do: overview, states and settings of campaigns, freezing, the activity, one topic with its runs."""
