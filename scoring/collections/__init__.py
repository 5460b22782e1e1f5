"""Finds documents in collections that are too large for one machine: they are read where they are stored, never loaded
as a whole.

A collection file (`collection_file`) names the shards and their form. `finding.find_documents` searches every shard
that may contain a wanted docno, with one task for each shard, here or on a Dask cluster, and writes a bundle (`bundle`)
for the site.

This needs the packages of the extra `collections`; nothing here imports the site.
"""
