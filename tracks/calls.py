"""Interpret the arguments of `python -m tracks`, show its help for one track, and print results."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from assess.base.track_settings import FALSE_WORDS, TRUE_WORDS, SettingsError, TrackSettings
from assess.protocol import RunForm, Submission, Track
from scoring.commands.command_line import WrongCall
from scoring.reading.opening import CannotOpen, printed
from scoring.release.explained import Explanation
from tracks import TRACKS, find_track
from tracks.designs.reading import BadDesign, track_of_text

OWN_NAMES = ("tag", "team", "priority", "automatic", "description")
"""The members that every run's form has, by the names that the API and runs/forms.json use, too."""


def track_of(options: argparse.Namespace) -> Track:
    """Return the track that the call names by its key or by the path of a design. Raises WrongCall for an unknown
    track, a design with faults, and an unknown task.
    """
    track = design_track(options.track) if is_design(options.track) else find_track(options.track)
    if track is None:
        known = ", ".join(t.key for t in TRACKS)
        raise WrongCall(f'There is no track "{options.track}". There are: {known}; or give the path of a design.')
    if options.task and track.task(options.task) is None:
        tasks = ", ".join(task.key for task in track.tasks)
        raise WrongCall(f'{track.key} has no task "{options.task}". It has: {tasks}.')
    return track


def is_design(named: str) -> bool:
    """Return whether a name is the path of a design rather than the key of a track."""
    return named.endswith(".toml")


@cache
def design_track(path: str) -> Track:
    """Return the track of a design file. Raises WrongCall if the design has faults, which the message lists, and
    CannotOpen if the file can't be opened.
    """
    from tracks.designs.commands import design_text

    try:
        return track_of_text(design_text(path), folder=Path(path).parent)
    except BadDesign as error:
        raise WrongCall("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from error


def submissions_of(options: argparse.Namespace) -> list[Submission]:
    """Return the kinds of run files of the track or, if the call names a task, of that task. Raises as `track_of`."""
    return [each for each in track_of(options).submissions if not options.task or options.task in each.tasks]


def settings_of(options: argparse.Namespace) -> Any:
    """Return the track's settings, changed as the options --set name=value say. Raises WrongCall if there is no such
    setting or if it can't have that value.
    """
    settings: type[TrackSettings] = track_of(options).settings
    try:
        return settings.from_mapping(pairs(options.set, "--set"))
    except SettingsError as error:
        lines = [f"--set {name}: {problem}" for name, problem in error.problems.items()]
        raise WrongCall("\n".join(lines)) from error


def pairs(given: Iterable[str], option: str) -> dict[str, str]:
    """Return name -> value for an option that is given as name=value, perhaps several times. If a name comes twice, the
    last value counts. Raises WrongCall for anything that has no "=".
    """
    values = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals:
            raise WrongCall(f'{option} {pair}: write it as name=value, such as "beta=3".')
        values[name.strip()] = value
    return values


def form_of(given: Iterable[str], submission: Submission) -> RunForm:
    """Return the submission form that the options --form name=value give. Every run has the names in `OWN_NAMES`; a
    kind of run may ask for more. Raises WrongCall for other names, and for a priority that is no whole number or an
    ``automatic`` that is not yes or no.
    """
    values = pairs(given, "--form")
    known = [*OWN_NAMES, *(each.key for each in submission.fields)]
    if unknown := sorted(set(values).difference(known)):
        raise WrongCall(f"--form {unknown[0]}: there is no such name in the form. It has: {', '.join(known)}.")
    automatic = values.pop("automatic", "yes").strip().casefold()
    if automatic not in TRUE_WORDS | FALSE_WORDS:
        raise WrongCall(f"--form automatic={automatic}: write yes or no.")
    priority = values.pop("priority", "")
    if priority and not (priority.isascii() and priority.isdigit() and len(priority) <= 9):
        raise WrongCall(f"--form priority={priority}: it must be a whole number.")
    return RunForm(
        tag=values.pop("tag", ""),
        team=values.pop("team", ""),
        priority=int(priority) if priority else None,
        automatic=automatic in TRUE_WORDS,
        description=values.pop("description", ""),
        fields=values,
    )


# `python -m tracks COMMAND TRACK --help`: the options of one track.

_TYPES = {bool: "yes or no", int: "whole number", float: "number", str: "text"}


class TrackHelp(argparse.Action):
    """Prints the command's help and, if a track is named, its settings and gold files."""

    def __init__(self, option_strings: Sequence[str], dest: str = argparse.SUPPRESS, **given: Any) -> None:
        super().__init__(option_strings, dest=dest, default=argparse.SUPPRESS, nargs=0, help=given.get("help"))

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *_: Any) -> None:
        """Print the help and exit with status 0, or with 2 if there is no such track or its design has faults."""
        named = getattr(namespace, "track", None)
        try:
            track = (design_track(named) if is_design(named) else find_track(named)) if named else None
        except (WrongCall, CannotOpen) as error:
            parser.error(printed(f"{error}"))
        if named and track is None:
            parser.error(f'There is no track "{named}". `python -m tracks list` names them.')
        parser.print_help()
        if track is not None:
            print("\n".join(("", *track_lines(track))))
        parser.exit()


def track_lines(track: Track) -> Iterator[str]:
    """Yield lines that describe a track's settings (name, type, default, allowed values, meaning), its tasks and its
    gold files.
    """
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


# How `python -m tracks` prints its results: tab-separated lines, or JSON.

_BREAKS = re.compile(r"[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")


def print_rows(form: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print each row as one line with tabs between the columns; tabs and line breaks inside a column become spaces. If
    ``form`` is "json", print one list instead, with an object for each row. The header's names are its members.
    """
    if form == "json":
        found = [dict(zip(header, row, strict=True)) for row in rows]
        print(printed(json.dumps(found, ensure_ascii=False, indent=1)))
        return
    for row in rows:
        print(printed("\t".join(_BREAKS.sub(" ", column) for column in row)))


def _marked(run: str, marks: Mapping[str, int] | None) -> dict[str, int]:
    return {} if marks is None else {"errors": marks.get(run, 0)}


def _mark(run: str, marks: Mapping[str, int] | None) -> str:
    return "" if marks is None else f"\terrors:{marks.get(run, 0)}"


def print_explanations(form: str, explanations: Iterable[Explanation], marks: Mapping[str, int] | None = None) -> None:
    """Print the formula of each value, and the rows behind the value. If ``marks`` gives the number of errors of each
    run, that number is printed with the run's values, as in tables of scores.
    """
    if form == "json":
        named = [
            {
                "run": each.run,
                "topic": each.topic,
                "measure": each.measure,
                "value": each.value,
                "formula": each.formula,
                "steps": [
                    {"label": step.label, "value": step.value, "header": step.header, "rows": step.rows}
                    for step in each.steps
                ],
            }
            | _marked(each.run, marks)
            for each in explanations
        ]
        print(printed(json.dumps(named, ensure_ascii=False, indent=1)))
        return
    for each in explanations:
        print(printed(f"{each.run}\t{each.topic}\t{each.measure}\t{each.formula}{_mark(each.run, marks)}"))
        for step in each.steps:
            print(printed(f"{step.label}: {step.value}"))
            for row in (step.header, *step.rows):
                print(printed("\t" + "\t".join(column.replace("\t", " ") for column in row)))
