"""PostgreSQL, which remembers the plans of the queries that every click asks: `base.py`."""
