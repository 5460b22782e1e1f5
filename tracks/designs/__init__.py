"""Designs: an evaluation in one TOML file, which is checked line by line and built into a `Track` like any other."""
