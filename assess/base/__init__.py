"""Code that belongs to no noun: refusals, stored files, columns and bulk rows, outages, plots, wording."""
