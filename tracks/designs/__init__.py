"""Designs: an evaluation as one TOML file, checked with lines and made into the same `Track` that a module makes."""
