"""What organisers do: overview, states and settings of campaigns, freezing, the activity, and single topics."""
