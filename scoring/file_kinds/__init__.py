"""Recognises what a file is before any reader runs: how it is packed, what form it has, and what it probably contains.

    found = recognise(file)               the position in the stream does not change
    found.sentence                        "JSON lines in UTF-8: a run of answers with citations (the common RAG shape)"

    @reads("qrels", takes=QRELS)          a reader that refuses a file of another kind with one issue
    def read_qrels(file): ...

A reader of lines declares the columns that it takes (`scoring.file_kinds.taking`), and a file that fits is always read.
A file that does not fit is refused if something shows that it is of another kind, or if no line has that number of
columns; otherwise the reader reports what is wrong with it. The issue has the code ``other-file``, and nothing is read
after it.
"""

from scoring.file_kinds.contents import contents_of
from scoring.file_kinds.magic import binary_of, packing_of
from scoring.file_kinds.names import IDS, name_words
from scoring.file_kinds.recognising import FileKind, recognise, recognise_beginning, recognise_path
from scoring.file_kinds.refusing import COLUMNS, JSON, TAGGED, belongs, of_another_kind, of_no_kind, reads
from scoring.file_kinds.shapes import COMMENTED, Contents, Form, Kind, Shape, shape_of
from scoring.file_kinds.taking import (
    DOCNO,
    DOCNOS,
    FROM_ONE,
    IMPORTANCE,
    REAL,
    RUN_NAME,
    WHOLE,
    WHOLE_GRADE,
    ColumnLayout,
    HeaderLayout,
    LineLayout,
    TableLayout,
    Takes,
)

__all__ = [
    "COLUMNS",
    "COMMENTED",
    "DOCNO",
    "DOCNOS",
    "FROM_ONE",
    "IDS",
    "IMPORTANCE",
    "JSON",
    "REAL",
    "RUN_NAME",
    "TAGGED",
    "WHOLE",
    "WHOLE_GRADE",
    "ColumnLayout",
    "Contents",
    "FileKind",
    "Form",
    "HeaderLayout",
    "Kind",
    "LineLayout",
    "Shape",
    "TableLayout",
    "Takes",
    "belongs",
    "binary_of",
    "contents_of",
    "name_words",
    "of_another_kind",
    "of_no_kind",
    "packing_of",
    "reads",
    "recognise",
    "recognise_beginning",
    "recognise_path",
    "shape_of",
]
