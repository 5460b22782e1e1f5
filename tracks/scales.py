"""Whether what a release records is on the scales of its settings: `python -m scoring verify` asks. No Django."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assess.base.track_settings import SettingsError
from assess.protocol import Criterion, Stage, Track
from scoring.formats.judgments_jsonl import read_numbered_judgments
from scoring.recorded_acts import Judged, Matched, NonePicked, NuggetWritten, RecordedAct
from scoring.records import Issue
from scoring.releases import JUDGMENTS, TOPICS, BadRelease, Release
from tracks import TRACKS
from tracks.rescore import read_topics


def check_scales(release: Release, tracks: tuple[Track, ...] = TRACKS) -> None:
    """Refuse (`BadRelease`) judgments.jsonl by its first line that is no act, or says what no stage of the track asks.

    Nothing is said of a track that is not known here. The file is read once, as a stream.
    """
    track = next((each for each in tracks if each.key == release.manifest["track"]), None)
    path = release.path(JUDGMENTS)
    if track is None or not path.is_file():
        return
    try:
        settings = track.settings.from_kept(release.manifest["settings"])
    except SettingsError as error:
        raise BadRelease(f"manifest.json: the settings are none of {track.key}: {error}") from error
    tasks = {topic.number: topic.task for topic in read_topics(release.path(TOPICS))}
    stages = {task.key: task.stages for task in track.tasks}
    criteria = {task: _criteria(each, settings) for task, each in stages.items()}
    with path.open("rb") as file:
        for each in read_numbered_judgments(file):
            if isinstance(each, Issue):
                raise BadRelease(f"line {each.where}: {each.message}")
            number, act = each
            task = tasks.get(act.topic, "")
            if task not in stages:
                raise BadRelease(f"line {number}: {TOPICS} has no topic “{act.topic[:80]}” that is judged")
            if problem := _problem(act, criteria[task], stages[task]):
                raise BadRelease(f"line {number}: {problem}")


def _criteria(stages: Iterable[Stage], settings: Any) -> dict[str, list[Criterion]]:
    """The criteria that are asked under these settings, on their scales, by key: two stages may ask one of a name."""
    found: dict[str, list[Criterion]] = {}
    for stage in stages:
        for criterion in stage.criteria:
            if criterion.is_asked(settings):
                found.setdefault(criterion.key, []).append(criterion.with_scale(settings))
    return found


def _problem(act: RecordedAct, criteria: Mapping[str, list[Criterion]], stages: tuple[Stage, ...]) -> str:
    """What an act says that nothing on the scales means; "" where all is well."""
    if isinstance(act, Judged | NonePicked):
        asked = criteria.get(act.criterion)
        if asked is None:
            return f"nothing is judged by “{act.criterion[:80]}” under the settings of the release"
        if isinstance(act, NonePicked):
            return ""
        values = [act.value, *(each.value for each in act.evidence if each.value is not None)]
        off = next((value for value in values if not any(each.allows(value) for each in asked)), None)
        return (
            f"{off} is not on the scale of {act.criterion} under the settings of the release" if off is not None else ""
        )
    if isinstance(act, NuggetWritten) and act.group:
        groups = {key for stage in stages for key, _ in stage.groups}
        return f"“{act.group[:80]}” is no group of nuggets" if groups and act.group not in groups else ""
    if isinstance(act, Matched) and (act.is_partial or act.is_absent) and not any(stage.partial for stage in stages):
        return "nuggets are only found here, never in part and never said to be absent"
    return ""
