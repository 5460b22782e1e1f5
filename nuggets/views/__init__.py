"""The workbenches of answer classes, nugget lists, matches and votes."""


def register() -> None:
    """Make the work kinds of this app known."""
    from nuggets.views import classes, matches, nuggets, votes

    for kind in (classes, nuggets, matches, votes):
        kind.register()
