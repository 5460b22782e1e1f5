"""Finding documents in collections that outgrow one machine: they are read where they are stored, never loaded as a
whole.

A collection file (`collection_file`) names shards and their form. `finding.find_documents` searches every shard that
may hold a wanted docno, one task a shard, here or on a Dask cluster, and writes a bundle (`bundle`) for the site.

This needs the packages of the extra `collections`; nothing here imports the site.
"""
