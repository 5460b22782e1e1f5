"""Pages of rehearsals."""
