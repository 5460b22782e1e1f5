"""Rules and writes of documents: loading, showing, searching them, and lists of docnos."""
