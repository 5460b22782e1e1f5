"""What is measured and how: one command a figure."""
