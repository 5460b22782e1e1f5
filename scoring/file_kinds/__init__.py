"""What a file is, before any reader runs: how it is packed, in which form it is, and what it probably holds.

    found = recognise(file)               the stream can still be read from where it stood
    found.sentence                        "JSON lines in UTF-8: a run of answers with citations (the common RAG shape)"

    @reads("qrels", forms=COLUMNS)        a reader that refuses a file of another kind in one issue
    def read_qrels(file): ...

A file is refused only where something tells that it is another; what nothing tells goes to the reader, which says what
is wrong with it line by line. The issue has the code ``other-file``, and nothing is read after it.
"""

from scoring.file_kinds.contents import contents_of
from scoring.file_kinds.recognising import FileKind, recognise, recognise_beginning, recognise_path
from scoring.file_kinds.refusing import COLUMNS, JSON, TAGGED, belongs, of_another_kind, reads
from scoring.file_kinds.shapes import Contents, Form, Kind, Shape, packing_of, shape_of

__all__ = [
    "COLUMNS",
    "JSON",
    "TAGGED",
    "Contents",
    "FileKind",
    "Form",
    "Kind",
    "Shape",
    "belongs",
    "contents_of",
    "of_another_kind",
    "packing_of",
    "reads",
    "recognise",
    "recognise_beginning",
    "recognise_path",
    "shape_of",
]
