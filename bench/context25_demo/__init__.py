"""The programs that made tests/data/tracks/context25: claims, papers, drawn pages, runs, broken files, judgments.

`python -m bench.context25_demo` writes them again, byte for byte. Everything is made up.
"""
