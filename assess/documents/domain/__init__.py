"""The rules and writes of documents."""
