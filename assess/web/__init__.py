"""What every page and API call shares: rendering, tables, forms, uploads, states, problems, guides."""
