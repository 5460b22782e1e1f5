"""API of documents."""
