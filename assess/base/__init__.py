"""What knows no noun: refusals, kept files, columns and bulk rows, outages, plots, wording."""
