"""The workbench for grading items one by one."""


def register() -> None:
    """Make the work kind "grade" known."""
