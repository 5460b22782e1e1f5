"""What a file is, before any reader runs: how it is packed, in which form it is, and what it probably holds.

    found = recognise(file)               the stream can still be read from where it stood
    found.sentence                        "JSON lines in UTF-8: a run of answers with citations (the common RAG shape)"

    @reads("qrels", takes=QRELS)          a reader that refuses a file of another kind in one issue
    def read_qrels(file): ...

A reader of lines says which columns it takes (`scoring.file_kinds.taking`), and a file that fits is always read. One
that does not is refused where something tells that it is another kind, or where no line has so many columns; else the
reader says what is wrong with it. The issue has the code ``other-file``, and nothing is read after it.
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
