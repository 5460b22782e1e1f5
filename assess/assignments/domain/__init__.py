"""The rules and writes of assignments."""
