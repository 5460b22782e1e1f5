"""`python -m tracks COMMAND TRACK --help`: what the options of one track may be."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, get_args, get_origin, get_type_hints

from assess.protocol import Track
from tracks import find_track

_TYPES = {bool: "yes or no", int: "whole number", float: "number", str: "text"}


class TrackHelp(argparse.Action):
    """Prints the command's help, and after it what the settings and gold files of the track are, if it is named."""

    def __init__(self, option_strings: Sequence[str], dest: str = argparse.SUPPRESS, **given: Any) -> None:
        super().__init__(option_strings, dest=dest, default=argparse.SUPPRESS, nargs=0, help=given.get("help"))

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *_: Any) -> None:
        """End with status 0, or with 2 where there is no such track."""
        named = getattr(namespace, "track", None)
        track = find_track(named) if named else None
        if named and track is None:
            parser.error(f'There is no track "{named}". `python -m tracks list` names them.')
        parser.print_help()
        if track is not None:
            print("\n".join(("", *track_lines(track))))
        parser.exit()


def track_lines(track: Track) -> Iterator[str]:
    """The settings of a track (name, type, default, allowed values, meaning), its tasks and its gold files."""
    yield f"{track.key}: {track.label}"
    yield f"  tasks (--task): {', '.join(task.key for task in track.tasks)}"
    yield f"  gold files (--gold; a folder stands for the files in it): {', '.join(track.scoring.gold_files)}"
    yield "  settings (--set NAME=VALUE):"
    hints = get_type_hints(track.settings)
    for each in fields(track.settings):
        allowed = each.metadata.get("allowed")
        kind = _type(hints[each.name]) + (f", {allowed}" if allowed else "")
        yield f"    {each.name}={_written(each.default)}"
        yield f"        {kind}. {each.metadata.get('help', '')}"


def _type(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return "words with commas between" if get_args(hint)[0] is str else "whole numbers with commas between"
    return _TYPES[hint]


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
