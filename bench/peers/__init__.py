"""Other tools for human judgments, served as their documentation says, and how each is asked to save and to show."""
