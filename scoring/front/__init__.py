"""The Python interface: `import scoring`, then `scoring.rank(…)`. It takes paths, frames and mappings, and returns one
frame.
"""
