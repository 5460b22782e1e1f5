"""File formats, one module each; `known_formats.py` is the only list of them."""
