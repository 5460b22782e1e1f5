"""The computations of agreement, stability and significance."""
