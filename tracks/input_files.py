"""The files that a call of `python -m tracks` names: topics, gold, runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from assess.protocol import TopicFile, TopicRecord, Track
from assess.protocol.telling import Kind, kind_by_name, topic_kind
from scoring.commands.problems import Problems
from scoring.commands.shell import BadInput, WrongCall, read_file
from scoring.reading import CannotOpen, copied, damage_errors, damage_issue, open_input


def read_topics(
    track: Track, paths: Iterable[str], problems: Problems, task: str | None = None
) -> tuple[TopicRecord, ...]:
    """The topics of all files, each read as the kind that it is; what supplements says is added.

    Raises BadInput where one of them has errors.
    """
    topics: dict[str, TopicRecord] = {}
    for path in paths:
        kind = _topic_kind(path, track.topic_files, task)
        for record in read_file(path, kind.read, problems):
            if kind.supplements and record.number in topics:
                known = topics[record.number]
                topics[record.number] = replace(known, fields={**known.fields, **record.fields})
            elif not kind.supplements:
                topics[record.number] = record
    return tuple(topics.values())


def kind_of(path: str, kinds: Sequence[Kind]) -> Kind:
    """The kind of file that a file's name stands for, else the first."""
    return kind_by_name(path, kinds) or kinds[0]


def _topic_kind(path: str, kinds: Sequence[TopicFile], task: str | None) -> TopicFile:
    """The kind of a file of topics; standard input is read but once, so its content tells nothing."""
    if path == "-" or len(kinds) < 2:
        return topic_kind(None, name=path, kinds=kinds, task=task)
    try:
        with open_input(path) as stream, copied(stream) as file:
            return topic_kind(file, name=path, kinds=kinds, task=task)
    except CannotOpen:  # it is named where the file is read, and so is damage
        pass
    except damage_errors():
        pass
    return topic_kind(None, name=path, kinds=kinds, task=task)


def gold_files(given: Iterable[str], track: Track | None = None) -> Mapping[str, Path]:
    """Name -> path of the gold files; a folder stands for the files in it.

    A file that is named by itself has the name under which the track knows it, told by its content where its own name
    says nothing. Files of a folder have their own names.
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
    """The name under which a track's scoring knows a gold file; its own where nothing tells."""
    plain = path.name.removesuffix(".gz").removesuffix(".zst")
    if track.scoring.told is None or plain in {export.name for export in track.exports}:
        return path.name
    told = track.scoring.told(plain, path)
    return path.name if told in ("", plain) else told


@contextmanager
def opened_copy(name: str, problems: Problems) -> Iterator[BinaryIO]:
    """The uncompressed bytes of a file or of standard input, to be read more than once.

    Raises BadInput where it is damaged.
    """
    with ExitStack() as opened:
        try:
            copy = opened.enter_context(copied(opened.enter_context(open_input(name))))
        except damage_errors() as error:
            problems.add(name, damage_issue(error))
            raise BadInput(name) from error
        yield copy
