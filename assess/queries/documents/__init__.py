"""Reads of documents: loading, showing, searching them, and lists of docnos."""
