"""Plots as SVG images."""
