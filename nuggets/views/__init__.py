"""The workbenches of answer classes, nugget lists, matches and votes."""


def register() -> None:
    """Make the work kinds of this app known."""
