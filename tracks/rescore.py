"""Compute the scores of a release again from its files, for `python -m scoring verify`, without Django."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from assess.base.track_settings import SettingsError
from assess.protocol import CheckContext, RunContent, TopicRecord, Track
from assess.protocol.records import read_topic_lines
from assess.releases.domain.draft_acts import DraftFollower, read_acts
from scoring.records import Issue, Score
from scoring.release.releases import EXPORTS, TOPICS, BadRelease, Release
from tracks import TRACKS
from tracks.release_track import track_of_release


def rescore(release: Release, tracks: tuple[Track, ...] = TRACKS) -> Iterator[tuple[str, list[Score]]]:
    """Yield (tag, scores) for each run that the release scored, in the order of the manifest. Runs whose files the
    release leaves out are skipped.

    Raises `BadRelease` if a part of it can't be read. Problems in the judgments are not reported, since the campaign
    had them, too, and counted them in the same way.
    """
    track = track_of_release(release, tracks)
    try:
        settings = track.settings.from_stored(release.manifest["settings"])
    except SettingsError as error:
        raise BadRelease(f"manifest.json: the settings are none of {track.key}: {error}") from error
    context = CheckContext(topics=tuple(read_topics(release.path(TOPICS))), settings=settings)
    gold = _gold(release, track, settings)
    files = {run["name"]: run for run in release.manifest["runs"] if run["file"] is not None}
    left_out = {run["name"] for run in release.manifest["runs"]} - files.keys()
    for name in release.manifest["scored"]:
        if name in left_out:
            continue
        content = run_content(release, track, files[name], context) if name in files else None
        yield name, list(track.scoring.score(gold, name, content, settings))


def read_topics(path: Path) -> Iterator[TopicRecord]:
    """Yield the topics of topics.jsonl. Raises BadRelease for a line that is not a topic."""
    if not path.is_file():
        raise BadRelease(f"there is no {path.name}")
    with path.open("rb") as file:
        for record in read_topic_lines(file):
            if isinstance(record, Issue):
                raise BadRelease(f"{path.name}: line {record.where}: {record.message}")
            yield record


def _gold(release: Release, track: Track, settings: Any) -> Any:
    """Return the track's gold from those of its gold files that the release holds."""
    issues: list[Issue] = []
    paths: Mapping[str, Path] = {name: release.path(f"{EXPORTS}/{name}") for name in track.scoring.gold_files}
    present = {name: path for name, path in paths.items() if path.is_file()}
    return track.scoring.load(present, settings, issues.append)


def run_content(release: Release, track: Track, run: Mapping[str, Any], context: CheckContext) -> RunContent:
    """Return what a run returned, read from its file in the release. Raises `BadRelease` if the release's track has no
    run files of that kind.
    """
    submission = track.submission(run["submission"])
    if submission is None:
        raise BadRelease(f"{run['name']}: {track.key} has no kind of run “{run['submission']}”")
    opened = partial(_opened, release.path(run["file"]))
    return RunContent(submission=submission, open=opened, context=context, run=run["name"])


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if not path.is_file():
        yield io.BytesIO()
        return
    with path.open("rb") as file:
        yield file


# Checking the drafts of a release against its files, for `python -m scoring verify`, without Django.


def recheck_drafts(release: Release, tracks: tuple[Track, ...] = TRACKS) -> int:
    """Compute again the estimates and the accepted topics in drafts.jsonl. Return how many there are, if all agree with
    the file.

    Otherwise raise `BadRelease`, which names the first line that can't be right: its act was impossible, its estimate
    does not follow from the documents judged before it, or its topic differs from the draft. A release of a track
    whose topics are not drafted is refused, too.
    """
    track = track_of_release(release, tracks)
    if track.drafting is None:
        raise BadRelease(f"topics of the track “{release.manifest['track']}” are not drafted here")
    topics = {topic.number: topic for topic in read_topics(release.path(TOPICS))}
    followed = DraftFollower(drafting=track.drafting, topics=topics)
    for where, act in read_acts(release):
        followed.take(where, act)
    return followed.compared
