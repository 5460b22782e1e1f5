"""Code that every other package may use: refusals, stored files, columns and bulk rows, outages, plots, wording."""
