"""What the words of a call of `python -m tracks` stand for: the track, its kinds of runs, its settings."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from assess.base.track_settings import TRUE_WORDS, SettingsError, TrackSettings
from assess.protocol import RunForm, Submission, Track
from scoring.commands.shell import WrongCall
from tracks import TRACKS, find_track


def track_of(options: argparse.Namespace) -> Track:
    """The track that the call names, with the task where it names one."""
    track = find_track(options.track)
    if track is None:
        raise WrongCall(f'There is no track "{options.track}". There are: {", ".join(t.key for t in TRACKS)}.')
    if options.task and track.task(options.task) is None:
        tasks = ", ".join(task.key for task in track.tasks)
        raise WrongCall(f'{track.key} has no task "{options.task}". It has: {tasks}.')
    return track


def submissions_of(options: argparse.Namespace) -> list[Submission]:
    """The kinds of run files of the track, or of the task that the call names."""
    return [each for each in track_of(options).submissions if not options.task or options.task in each.tasks]


def settings_of(options: argparse.Namespace) -> Any:
    """The track's settings with what --set says."""
    settings: type[TrackSettings] = track_of(options).settings
    try:
        return settings.from_mapping(pairs(options.set, "--set"))
    except SettingsError as error:
        lines = [f"--set {name}: {problem}" for name, problem in error.problems.items()]
        raise WrongCall("\n".join(lines)) from error


def pairs(given: Iterable[str], option: str) -> dict[str, str]:
    """The values of an option that is written as name=value."""
    values = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals:
            raise WrongCall(f'{option} {pair}: write it as name=value, such as "beta=3".')
        values[name.strip()] = value
    return values


def form_of(given: Iterable[str]) -> RunForm:
    """The submission form from --form name=value; names that are not the form's own are the track's."""
    values = pairs(given, "--form")
    priority = values.pop("priority", "")
    if priority and not (priority.isascii() and priority.isdigit() and len(priority) <= 9):
        raise WrongCall(f"--form priority={priority}: it must be a whole number.")
    return RunForm(
        tag=values.pop("tag", ""),
        team=values.pop("team", ""),
        priority=int(priority) if priority else None,
        automatic=values.pop("automatic", "yes").casefold() in TRUE_WORDS,
        description=values.pop("description", ""),
        fields=values,
    )
