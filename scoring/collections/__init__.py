"""Finding documents in collections that outgrow one machine: read where they lie, never loaded as a whole.

A collection file (`collection_file`) names shards and their form. `finding.find_documents` searches every shard that
may hold a wanted docno, one task a shard, here or on a Dask cluster, and writes a bundle (`bundle`) for the site.

Needs the packages of the extra `collections`; nothing here knows the site.
"""
