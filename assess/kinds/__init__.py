"""The kinds of work that stages ask for: one folder for each, and the record that each fills in."""
