"""Read the files that a call of `python -m tracks` names: topics, gold, runs, docnos. Messages name the file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from assess.protocol import TopicFile, TopicRecord, Track
from assess.protocol.files import Kind, kind_by_name, topic_kind
from assess.protocol.records import read_topic_lines
from scoring.commands.command_line import BadInput, Problems, WrongCall, read_file
from scoring.reading.opening import CannotOpen, copied, open_input, split_issues
from scoring.reading.unpacking import damage_errors, damage_issue, plain_name
from scoring.records import Issue, Severity
from scoring.release.releases import TOPICS


def read_topics(
    track: Track, paths: Iterable[str], problems: Problems, task: str | None = None
) -> tuple[TopicRecord, ...]:
    """Return the topics of all files, each read as its kind of file, with the fields of supplements added.

    A track whose runs can be read only with the topics also accepts a release's topics.jsonl, since no other file of
    the release has these topics. Raises BadInput if a file has errors.
    """
    topics: dict[str, TopicRecord] = {}
    for path in paths:
        if Path(path).name == TOPICS and any(each.needs_topics for each in track.submissions):
            topics |= {record.number: record for record in read_file(path, read_topic_lines, problems)}
            continue
        kind = _topic_kind(path, track.topic_files, task)
        for record in read_file(path, kind.read, problems):
            if kind.supplements and record.number in topics:
                known = topics[record.number]
                topics[record.number] = replace(known, fields={**known.fields, **record.fields})
            elif not kind.supplements:
                topics[record.number] = record
    return tuple(topics.values())


def kind_of(path: str, kinds: Sequence[Kind]) -> Kind:
    """Return the kind of file that a file's name suggests. If it suggests none, return the first of ``kinds``."""
    return kind_by_name(path, kinds) or kinds[0]


def _topic_kind(path: str, kinds: Sequence[TopicFile], task: str | None) -> TopicFile:
    """Return the kind of a topic file, judged by its name or content. The content of standard input is not looked at,
    since it can be read only once.
    """
    if path == "-" or len(kinds) < 2:
        return topic_kind(None, name=path, kinds=kinds, task=task)
    try:
        with open_input(path) as stream, copied(stream) as file:
            return topic_kind(file, name=path, kinds=kinds, task=task)
    except CannotOpen:  # reported, like damage, when the file is read
        pass
    except damage_errors():
        pass
    return topic_kind(None, name=path, kinds=kinds, task=task)


def gold_files(given: Iterable[str], track: Track | None = None) -> Mapping[str, Path]:
    """Return name -> path for the gold files. For a folder, the files in it are taken.

    Files in a folder keep their own names. A file that is given by itself gets the name that the track uses for such a
    file, judged by its name or, if that says nothing, by its content. Raises WrongCall if a path does not exist, or if
    two files have the same name.
    """
    files: dict[str, Path] = {}
    for path in map(Path, given):
        try:
            path.stat()
        except (OSError, ValueError) as error:
            raise WrongCall(f"--gold: there is no file or folder {path} ({error}).") from error
        found = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
        for each in found:
            name = each.name if path.is_dir() or track is None else _gold_name(each, track)
            if name in files:
                called = "two files named" if name == each.name else f"{files[name].name} and {each.name}, both of"
                raise WrongCall(f"--gold: there are {called} {name}; give one.")
            files[name] = each
    return files


def _gold_name(path: Path, track: Track) -> str:
    """Return the name that the track's scoring uses for such a gold file, judged by the file's name or content. If
    neither shows one, return the file's own name.
    """
    plain = plain_name(path.name)
    if track.scoring.gold_name is None or plain in {export.name for export in track.exports}:
        return path.name
    told = track.scoring.gold_name(plain, path)
    return path.name if told in ("", plain) else told


@contextmanager
def opened_copy(name: str, problems: Problems) -> Iterator[BinaryIO]:
    """Yield the uncompressed bytes of a file or of standard input, which can be read more than once.

    Raises BadInput if the file is damaged, and CannotOpen if there is no such file.
    """
    with ExitStack() as opened:
        try:
            copy = opened.enter_context(copied(opened.enter_context(open_input(name))))
        except damage_errors() as error:
            problems.add(name, damage_issue(error))
            raise BadInput(name) from error
        yield copy


# Reading the gold files that `python -m tracks score --gold` names. Each message names its file.

LOOKED_AT = 200
"""How many records of a file are read to find its kind."""


def read_gold_file(
    name: str, path: Path, read: Callable[[BinaryIO], Iterator[Any]], report: Callable[[Issue], None]
) -> Iterator[Any]:
    """Yield the records of one file, one by one, since all records of a large file would take gigabytes of memory.

    Problems go to ``report``, and a file that can't be opened has no records.
    """
    try:
        with open_input(path) as file:
            yield from split_issues(read(file), lambda issue: report(_named(name, issue)))
    except CannotOpen as error:
        report(file_issue(name, "cannot-open", f"{error}"))
    except damage_errors() as error:
        report(_named(name, damage_issue(error)))


Reader = Callable[[BinaryIO], Iterator[Any]]
Find = Callable[[str, Path], tuple[str, Reader] | None]


def load_records(
    files: Mapping[str, Path],
    find: Find,
    report: Callable[[Issue], None],
    *,
    known: str = "",
    passed_over: Collection[str] = (),
    twice: str = "There are two files of {known}; give one.",
    joined: bool = False,
) -> dict[str, Iterable[Any]]:
    """Return the records of a track's gold files, by the names of their exports. A file is read only when its records
    are used.

    ``find(name, path)`` returns the name of the export that a file is and its reader, or None if the file is not gold;
    ``name`` has no extension of compression such as ``.gz``. A file that is not gold gets a warning, unless ``known``
    is empty or the file is in ``passed_over``. A second file of an export is reported with the message ``twice``. With
    ``joined``, it is read, too, and all records are held in memory.
    """
    records: dict[str, Iterable[Any]] = {}
    for name, path in files.items():
        plain = plain_name(name)
        found = None if plain in passed_over else find(plain, path)
        if found is None:
            if known and plain not in passed_over:
                report(file_issue(name, "unknown-file", f"It is not used. Known: {known}.", "warning"))
        elif found[0] in records and not joined:
            report(file_issue(name, "file-twice", twice.format(known=found[0])))
        else:
            of_file = read_gold_file(name, path, found[1], report)
            records[found[0]] = [*records.get(found[0], ()), *of_file] if joined else of_file
    return records


def by_name(readers: Mapping[str, Reader]) -> Find:
    """Return a function that chooses the reader of a gold file by its name, which must be the name of an export."""
    return lambda plain, path: (plain, readers[plain]) if plain in readers else None


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldKind:
    """A kind of gold file: the name of its export, its reader, and a test that the records of such a file pass and
    those of other files do not.
    """

    name: str
    read: Callable[[BinaryIO], Iterator[Any]]
    fits: Callable[[Any], bool] = lambda record: True


def kind_by_content(path: Path, kinds: Iterable[GoldKind]) -> str:
    """Return the name of the first kind that fits the beginning of a file, or "". The file's name does not matter.

    Kinds with stricter tests must therefore come first.
    """
    return next((kind.name for kind in kinds if fits_content(path, kind.read, kind.fits)), "")


def fits_content(
    path: Path, read: Callable[[BinaryIO], Iterator[Any]], fits: Callable[[Any], bool] = lambda record: True
) -> bool:
    """Return whether the first records that a reader finds in a file have no errors and pass ``fits``."""
    found = False
    try:
        with open_input(path) as file:
            for record in islice(read(file), LOOKED_AT):
                if isinstance(record, Issue):
                    if record.severity == "error":
                        return False
                elif not fits(record):
                    return False
                else:
                    found = True
    except CannotOpen:
        return False
    except damage_errors():
        return False
    return found


def file_issue(name: str, code: str, message: str, severity: Severity = "error") -> Issue:
    """Return an issue about a whole file, or about all files together if ``name`` is ""."""
    return _named(name, Issue(where="", code=code, message=message, severity=severity))


def _named(name: str, issue: Issue) -> Issue:
    return replace(issue, message=f"{name}: {issue.message}") if name else issue


# Lists of valid docnos, one on each line, searched without holding them in memory.

_CHUNK = 1 << 20


def unknown_in_file(path: Path, docnos: Iterable[str]) -> set[str]:
    """Return those of ``docnos`` that are not in the file. The file may be packed in any way that `open_input` unpacks.

    The file is read once, in chunks, and only ``docnos`` are held in memory. White space around a docno, empty lines
    and a byte order mark are ignored. Raises `scoring.reading.opening.CannotOpen` if there is no such file, and the
    decompressor's own error if the file is damaged.
    """
    wanted = {docno.encode(errors="surrogatepass") for docno in docnos}
    rest = b""
    with open_input(path) as file:
        while wanted and (chunk := file.read(_CHUNK)):
            lines = (rest + chunk).removeprefix(b"\xef\xbb\xbf").split(b"\n")
            rest = lines.pop()
            wanted.difference_update(line.strip() for line in lines)
            if len(rest) > _CHUNK:  # no docno is that long: the file has no line breaks
                rest = b""
    wanted.discard(rest.strip())
    return {docno.decode(errors="surrogatepass") for docno in wanted}
