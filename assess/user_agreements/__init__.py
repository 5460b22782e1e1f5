"""What teams promise before they get documents, and what waits until they have."""
