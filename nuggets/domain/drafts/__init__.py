"""What authors found while they made a topic, taken into its judging as their own."""
