"""Makes the columns of Parquet files, without importing pandas."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any


def arrow_column(values: Sequence[Any], of: Any) -> Any:
    """Return a pyarrow column of the given type. The values are texts, bytes, whole numbers, or lists or mappings of
    these; any value may be None.

    The array is made from its buffers. `pyarrow.array` would import pandas, if it is installed, only to find that the
    values are not pandas objects; that import takes half a second in each process. Raises OverflowError if the values
    have more than 2 GB together, or for a whole number of more than 64 bits.
    """
    import numpy
    import pyarrow

    types = pyarrow.types
    known = numpy.array([value is not None for value in values], dtype=bool)
    valid = None if known.all() else pyarrow.py_buffer(numpy.packbits(known, bitorder="little"))
    if types.is_int64(of):
        numbers = numpy.array([value or 0 for value in values], dtype=numpy.int64)
        return pyarrow.Array.from_buffers(of, len(values), [valid, pyarrow.py_buffer(numbers)])
    if types.is_struct(of):
        parts = [arrow_column([(value or {}).get(part.name) for value in values], part.type) for part in of]
        return pyarrow.Array.from_buffers(of, len(values), [valid], children=parts)
    filled: Sequence[Any]
    joined = b""
    if types.is_list(of):
        filled = [value or () for value in values]
    elif types.is_string(of) and (text := "".join(filled := [value or "" for value in values])).isascii():
        joined = text.encode()  # in which each text has as many bytes as letters
    else:
        filled = [value.encode() if isinstance(value, str) else value or b"" for value in values]
        joined = b"".join(filled)
    ends = numpy.fromiter(accumulate(map(len, filled), initial=0), dtype=numpy.int32, count=len(filled) + 1)
    buffers = [valid, pyarrow.py_buffer(ends)]
    if types.is_list(of):
        parts = [arrow_column(list(chain.from_iterable(filled)), of.value_type)]
        return pyarrow.Array.from_buffers(of, len(values), buffers, children=parts)
    return pyarrow.Array.from_buffers(of, len(values), [*buffers, pyarrow.py_buffer(joined)])
