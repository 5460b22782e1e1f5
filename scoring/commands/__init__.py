"""The command lines of `python -m scoring`, with a module for each kind of command. Slow modules are not imported at
the top.
"""
