"""Rules and writes of pools: planning, building, growing them, and how well they serve."""
