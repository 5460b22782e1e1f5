"""The command lines of `python -m scoring`, a module for each kind of work. Nothing slow is imported at the top."""
