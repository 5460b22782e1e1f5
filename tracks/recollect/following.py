"""Make every export of a release again from its recorded acts, for `python -m scoring verify`, without Django."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from assess.base.track_settings import SettingsError
from assess.protocol import CheckContext, Export, Track
from assess.protocol.records import in_order, write_topic_lines
from scoring.release.recorded_acts import Matched, Reviewed
from scoring.release.releases import EXPORTS, GUIDELINES, MANIFEST, RUNS, TOPICS, BadRelease, Release
from tracks import TRACKS
from tracks.recollect import grades, lists, marks
from tracks.recollect.acts import check_acts, check_tables
from tracks.recollect.recorded import Recorded
from tracks.recollect.rows import Unlike
from tracks.release_track import track_of_release
from tracks.rescore import read_topics, run_content

COLLECTORS: Mapping[str, Callable[..., Iterable[Any]]] = {
    "topics": grades.topics,
    "returned": grades.returned,
    "grades": grades.grades,
    "run_grades": grades.run_grades,
    "annotated_topics": lists.annotated_topics,
    "nuggets_of": lists.nuggets_of,
    "nuggets": lists.nuggets,
    "votes": lists.votes,
    "matches_of": marks.matches_of,
    "reviews_of": marks.reviews_of,
    "item_matches": marks.topic_matches,
    "other_judged": marks.other_judged,
    "run_pieces": marks.run_pieces,
    "assigned": marks.assigned,
    "match_labels": marks.match_labels,
    "answer_classes": marks.answer_classes,
    "instance_judgments": marks.instance_judgments,
    "list_judged": marks.list_judged,
    "judged_responses": marks.judged_responses,
}
"""Functions that return from a release's files what the site's collectors (`assess.exports.writing.collectors`) do."""

FORMS = f"{RUNS}/forms.json"
FORM_MEMBERS = ("team", "priority", "automatic", "fields")

Again = tuple[str, Iterable[str] | str | None]
"""A file, and the lines that it must have, or why it contradicts the other files ("" if it does not), or None if that
can't be checked, since files of runs are left out.
"""


def follow(release: Release, tracks: tuple[Track, ...] = TRACKS) -> Iterator[Again]:
    """Make each export from the recorded acts, as the site makes it, and yield what each of its files must contain.

    Exports whose collector only the site has are left out. The lines of a file must be used before the next file is
    asked for. Raises `BadRelease` if a release can't be followed.
    """
    track, settings = _track_and_settings(release, tracks)
    yield MANIFEST, _unlike_manifest(release, track)
    topics = tuple(read_topics(release.path(TOPICS)))
    yield TOPICS, write_topic_lines(in_order(topics))
    yield FORMS, _forms(release)
    context = CheckContext(topics=topics, settings=settings)
    held = [run for run in release.manifest["runs"] if run["file"] is not None]
    runs = [run_content(release, track, run, context) for run in held]
    asked = {export.collect for export in track.exports}
    passing = () if asked & marks.OF_ALL_MARKS else (Matched, Reviewed)
    with tempfile.TemporaryFile() as kept:
        try:
            recorded = Recorded(release, track, settings=settings, topics=topics, runs=runs, kept=kept, passing=passing)
            left = check_tables(recorded)
            for topic in check_acts(recorded, left):
                if asked & marks.OF_FULL_MARKS:
                    marks.full_marks(recorded, topic)  # while its acts are in memory
        except Unlike as unlike:
            yield unlike.name, unlike.words
            return
        is_whole = len(held) == len(release.manifest["runs"])
        for export in track.exports:
            if export.is_of_runs and not is_whole:
                yield from ((name, None) for name in _names(release, export))
            elif export.collect in COLLECTORS:
                yield from _exported(recorded, export)


def _track_and_settings(release: Release, tracks: tuple[Track, ...]) -> tuple[Track, Any]:
    track = track_of_release(release, tracks)
    try:
        return track, track.settings.from_stored(release.manifest["settings"])
    except SettingsError as error:
        raise BadRelease(f"{MANIFEST}: the settings are none of {track.key}: {error}") from error


def _names(release: Release, export: Export) -> list[str]:
    """Return the names of the files in which an export is written."""
    before, _, after = f"{EXPORTS}/{export.single}".partition("{}")
    singles = [name for name in release.files if name.startswith(before) and name.endswith(after)]
    return [f"{EXPORTS}/{export.name}", *(singles if export.split is not None else ())]


def _exported(recorded: Recorded, export: Export) -> Iterator[Again]:
    """Yield the lines of an export's file, then those of its files for single topics. The files for single topics are
    made by splitting the release's own file of all topics.
    """
    records = COLLECTORS[export.collect](recorded, **export.options)
    yield f"{EXPORTS}/{export.name}", export.lines(records, recorded.settings)
    path = recorded.release.path(f"{EXPORTS}/{export.name}")
    if export.split is not None and path.is_file():
        with path.open(encoding="utf-8", errors="replace", newline="\n") as written:
            bare = (line.removesuffix("\n") for line in written)
            for number, found in groupby(export.split(bare), key=itemgetter(0)):
                yield f"{EXPORTS}/{export.single.format(number)}", (line for _, line in found)


def _unlike_manifest(release: Release, track: Track) -> str:
    """Return a phrase that says where the manifest differs from its track or from the release's other files, or ""."""
    manifest = release.manifest
    wanted = [export.name for export in track.exports]
    if manifest["exports"] != wanted:
        return f"“exports” are not those of {track.key}: {', '.join(wanted)}"
    names = [run["name"] for run in manifest["runs"]]
    if names != sorted(set(names), key=lambda name: (len(name), name)):
        return "“runs” are not in the order of their names, or one comes twice"
    if unscored := [name for name in names if name not in manifest["scored"]]:
        return f"“scored” lacks {unscored[0]}"
    versions = manifest.get("guidelines")
    held = sorted(name for name in release.files if name.startswith(f"{GUIDELINES}/"))
    if versions is not None and held != sorted(f"{GUIDELINES}/{number + 1}.md" for number in range(len(held))):
        return f"the versions in {GUIDELINES}/ are not numbered from 1"
    if versions is not None and versions != len(held):
        return f"“guidelines” says {versions}, and {GUIDELINES}/ has {len(held)} versions"
    return ""


def _forms(release: Release) -> list[str]:
    """Return the lines of runs/forms.json, made from what the manifest says about the runs."""
    forms = {
        run["name"]: {"tag": run["name"], **{member: run.get(member) for member in FORM_MEMBERS}}
        for run in release.manifest["runs"]
    }
    return json.dumps(forms, ensure_ascii=False, sort_keys=True, indent=1).split("\n")
