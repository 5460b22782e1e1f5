"""Tells what the Python interface was given: a path, an open file or its lines, a frame, a mapping, or rows.

Frames are those of pandas, polars and pyarrow. The first element of an iterator is looked at without losing it.
"""

from __future__ import annotations

import io
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast
from zipfile import ZipFile, is_zipfile

from scoring.extras import COLLECTIONS, importing
from scoring.file_kinds.recognising import recognise
from scoring.file_kinds.refusing import belongs
from scoring.file_kinds.shapes import Kind
from scoring.front.errors import InputError, refusal, sentence, warn_of
from scoring.reading.opening import COMPRESSED, OTHER_FILE, CannotOpen, excerpt_of, open_input, until_too_many
from scoring.reading.unpacking import damage_errors, damage_issue, uncompressed
from scoring.records import Issue

PARQUET = ".parquet"
Record = TypeVar("Record")
PathLike = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Lines:
    """The content of a file that was given as an open file or as lines, and the name that errors give it."""

    content: bytes
    name: str


def is_path(source: Any) -> bool:
    """Return whether a source is the path of a file."""
    return isinstance(source, os.PathLike) or (isinstance(source, str) and "\n" not in source)


def is_file(source: Any) -> bool:
    """Return whether a source is read like a file: it is a path, or `Lines`."""
    return isinstance(source, Lines) or is_path(source)


def is_frame(source: Any) -> bool:
    """Return whether a source is a frame of pandas, polars or pyarrow."""
    return any(hasattr(source, name) for name in ("itertuples", "iter_rows", "to_pylist"))


def is_series(source: Any) -> bool:
    """Return whether a source is a series of pandas."""
    return hasattr(source, "items") and hasattr(source, "index") and not hasattr(source, "columns")


def only_counts(source: Any) -> bool:
    """Return whether the index of a series only counts its values from 0, and so names none of them."""
    index = source.index
    return index.name is None and (getattr(index, "start", None), getattr(index, "step", None)) == (0, 1)


def is_line(text: Any) -> bool:
    """Return whether a text in a list of texts is a line of a file, rather than the path of a file."""
    if isinstance(text, bytes):
        return True
    words = text.split() if isinstance(text, str) else ()
    return len(words) >= LEAST_WORDS and not Path(text.strip()).exists()


LEAST_WORDS = 3
"""The fewest words of a line: a topic, an item and a value."""


def called(source: Any, what: str) -> str:
    """Return how errors name a source: by its path if it is a file, otherwise as ``what``."""
    return os.fspath(source) if is_path(source) else what


def peeked(source: Iterable[Any]) -> tuple[Any, Iterable[Any]]:
    """Return (first element, all elements); (None, no elements) if there are none."""
    rows = iter(source)
    first = next(rows, None)
    if rows is source:
        return first, () if first is None else chain([first], rows)
    return first, source


def taken(source: Any, *, what: str) -> Any:
    """Return the source as the path of a file, as `Lines`, as a pandas frame or series, as a mapping, or as rows.

    Raises InputError for a Parquet file that can't be read, FileNotFoundError if it is missing, MissingExtra if pyarrow
    is not installed, and TypeError for a source of any other type. Errors call the source ``what``.
    """
    if is_path(source):
        return _unpacked(source)
    if isinstance(source, str | bytes):
        return Lines(_content(source), what)
    if hasattr(source, "read"):
        return Lines(_content(source.read()), str(getattr(source, "name", what)))
    if hasattr(source, "iter_rows") and hasattr(source, "columns"):
        return [dict(zip(source.columns, row, strict=True)) for row in source.iter_rows()]
    if hasattr(source, "to_pylist"):
        return source.to_pylist()
    if hasattr(source, "reset_index"):
        return with_index(source)
    if isinstance(source, Lines | Mapping):
        return source
    rows = source.tolist() if hasattr(source, "tolist") else source
    if not isinstance(rows, Iterable):
        raise TypeError(f"{what} must be the path of a file, a frame, a mapping or rows, not {type(source).__name__}.")
    first, rows = peeked(rows)
    if isinstance(first, str | bytes):
        return Lines(b"".join(_content(line).rstrip(b"\r\n") + b"\n" for line in rows), what)
    return rows


def _content(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def with_index(source: Any) -> Any:
    """Return a pandas frame or series with the named parts of its index as columns."""
    columns = list(getattr(source, "columns", ()))
    missing = [name for name in source.index.names if name is not None and name not in columns]
    return source.reset_index(missing) if missing else source


def _unpacked(path: PathLike) -> Any:
    """Return the frame in a Parquet file, or the path of any other file."""
    if not (os.fspath(path).lower().endswith(PARQUET) or _begins_as_parquet(Path(path))):
        return path
    with importing(COLLECTIONS):
        import pyarrow.parquet as parquet
    return frame_of(path, "Parquet", lambda file: with_index(parquet.read_table(file).to_pandas()))


def frame_of(path: PathLike, form: str, read: Callable[..., Any], **options: Any) -> Any:
    """Return the frame that ``read`` makes of a file, with these options. Raises InputError, which names the form, if
    the file can't be read, and FileNotFoundError if it is missing.
    """
    _require_file(path)
    try:
        return read(path, **options)
    except (ValueError, OverflowError, EOFError, OSError, zlib.error) as error:
        message = f"It can't be read as {form}: {excerpt_of(str(error))}"
        raise refusal(os.fspath(path), message, code="bad-file") from error


def _begins_as_parquet(path: Path) -> bool:
    """Return whether a file has the first bytes of a Parquet file, whatever its name."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except (OSError, ValueError):
        return False


@contextmanager
def _opened(source: PathLike | Lines) -> Iterator[BinaryIO]:
    if isinstance(source, Lines):
        yield uncompressed(cast(BinaryIO, io.BytesIO(source.content)))
        return
    with open_input(Path(source)) as stream:
        yield stream


def _require_file(path: PathLike) -> None:
    """Raise FileNotFoundError if there is nothing at the path, and InputError if there is a folder."""
    name = os.fspath(path)
    if Path(path).is_dir():
        files = f"sorted(pathlib.Path({name!r}).glob('*{_ending(Path(path))}'))"
        message = f"This is a folder. Give the files in it: {files}."
        raise refusal(name, message, code="folder")
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no file {name}.")


def _ending(folder: Path) -> str:
    """Return the ending that most files of a folder have, such as ".txt", or "" if there are none."""
    endings = Counter(each.suffix for each in sorted(folder.iterdir()) if each.is_file())
    return max(endings, key=lambda each: endings[each], default="")


def _in_python(source: PathLike | Lines, issue: Issue) -> Issue:
    """Return the issue of a file of another kind, or of a release. It names the function of `scoring` that reads such a
    file, in place of a page or command. If a file's kind has a way on of its own, the issue is returned unchanged, and
    so is every other issue.
    """
    if issue.code == COMPRESSED and not isinstance(source, Lines) and _is_release(Path(source)):
        message = "This is a release. `scoring.read_release` reads its tables; to use its files, unpack it."
        return replace(issue, message=message)
    if issue.code != OTHER_FILE:
        return issue
    with _opened(source) as stream:
        found = recognise(stream)
    if found.way_on:
        return issue
    message = issue.message.removesuffix(belongs(found)).rstrip()
    readers = [f"`scoring.{READERS[kind]}` reads it." for kind in found.kinds[:1] if kind in READERS]
    return replace(issue, message=" ".join([message, *readers]))


def _is_release(path: Path) -> bool:
    """Return whether a file is a zip with a manifest."""
    if not is_zipfile(path):
        return False
    with ZipFile(path) as archive:
        return "manifest.json" in archive.namelist()


READERS: dict[Kind, str] = {
    "run": "read_run",
    "qrels": "read_qrels",
    "judgments": "read_judgments",
    "scores": "read_scores",
}
"""The function that reads files of a kind."""


def records_in(source: PathLike | Lines, read: Callable[[BinaryIO], Iterable[Record | Issue]]) -> Iterator[Record]:
    """Yield every record of a file. If the file has errors, InputError is raised at its end, with all of them. A file
    that can't be opened raises InputError as well, and a missing one FileNotFoundError.

    The file's warnings become Python warnings.
    """
    errors: list[Issue] = []
    is_empty = True
    name = source.name if isinstance(source, Lines) else os.fspath(source)
    if not isinstance(source, Lines):
        _require_file(source)
    try:
        with _opened(source) as stream:
            for each in until_too_many(read(stream)):
                if not isinstance(each, Issue):
                    is_empty = False
                    yield each
                elif each.severity == "error":
                    errors.append(_in_python(source, each))
                else:
                    warn_of(name, [each])
    except CannotOpen as error:
        raise refusal(name, sentence(error), code="cannot-open") from error
    except damage_errors() as error:
        errors.append(damage_issue(error))
    if not errors and is_empty:
        empty = "There is nothing in the file that could be used. Check that the right file was chosen."
        errors.append(Issue(where="", code="empty-file", message=empty))
    if errors:
        raise InputError(name, errors)
