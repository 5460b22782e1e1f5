"""The front for Python: `import scoring`, then `scoring.rank(…)`. Paths, frames and mappings in, one frame out."""
