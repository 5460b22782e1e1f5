"""Repeats and other items that are planted unannounced, and how steadily people judge them."""
