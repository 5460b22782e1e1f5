"""File formats, run checks, pooling, measures and statistics. Pure: no Django, no database, no network."""
