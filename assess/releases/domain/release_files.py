"""Write the files of a release: what a campaign publishes as of one ledger point, without the names of runs and teams.

The layout is that of `scoring.release.releases`. The same campaign at the same point gives the same bytes, since the
files contain no times and no ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import lru_cache, partial
from itertools import chain, islice
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from django.db.models import Case, QuerySet, TextField, Value, When

from assess.assignments.queries.pseudonyms import pseudonyms
from assess.base.errors import Invalid
from assess.base.files import open_file
from assess.base.sentences import Sentence
from assess.campaigns.designs import design_versions, text_of_design
from assess.campaigns.models import Campaign
from assess.campaigns.queries import frozen_on, track_of
from assess.exports.queries import MORE_FIELDS, as_text, fields_in
from assess.exports.writing import in_turn, single_files
from assess.items.models import Item, PoolItem
from assess.items.queries import COUNTED, current_pools
from assess.jobs.progress import WRITING, ReportProgress, no_report, report_progress
from assess.judging.queries.current import current_judgments
from assess.judging.snapshots import Snapshot
from assess.protocol.records import write_topic_lines
from assess.releases.domain.drafts_and_agreements import acceptance_rows, agreement_rows, draft_acts
from assess.releases.domain.left_pools import left_pools
from assess.releases.domain.readme import readme_text
from assess.releases.domain.released_scores import is_released, scores_of_site, write_scores
from assess.releases.domain.renamed_runs import by_name, names_any, release_names, renamed_pools, renamed_records
from assess.releases.domain.stopped_work import stopped_work
from assess.releases.domain.succession import supersedes
from assess.releases.domain.topic_changes import topic_changes
from assess.releases.domain.translated_documents import translated_documents
from assess.releases.domain.written_folder import Folder
from assess.runs.models import Run
from assess.runs.queries import RunNames, accepted_runs
from assess.topics.queries import topic_records
from scoring.commands.verify import SCORER
from scoring.formats.judgments_jsonl import LINES_AT_ONCE
from scoring.formats.recorded_grades import judged_of
from scoring.own_items import renamed_key
from scoring.reading.sorting import sorted_externally, without_repeats
from scoring.release.judgment_table import judgment_bytes
from scoring.release.release_descriptions import descriptions
from scoring.release.release_tables import agreement_lines
from scoring.release.releases import (
    ACCEPTANCES,
    AGREEMENT,
    AGREEMENTS,
    ANCHORS,
    DESIGN,
    DESIGNS,
    DRAFTS,
    EXPORTS,
    GUIDELINES,
    ITEMS,
    JUDGMENT_TABLE,
    JUDGMENTS,
    LAYOUT,
    LEFT_ITEMS,
    MANIFEST,
    POOLS,
    README,
    RUNS,
    TOPIC_CHANGES,
    TOPICS,
    TRANSLATIONS,
    WORK,
    dropped_by,
)
from scoring.run_tags import unchanged
from scoring.uncollected import uncollected

CHUNK = 2_000
PIECES_AT_ONCE = 100
"""The number of a run's pieces that are written together; most are lines."""
FORMS = f"{RUNS}/forms.json"
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


@uncollected()
def write_release(
    snapshot: Snapshot,
    place: Path,
    *,
    with_runs: bool,
    code_version: str,
    missing: dict[str, int],
    progress: ReportProgress = no_report,
) -> dict[str, Any]:
    """Write a release into an empty folder, and return the manifest's content.

    A run whose kind of file can't carry another tag is left out; ``with_runs`` includes it as it was submitted.
    Refused: a run that could not be scored, or whose file still contains its tag. ``progress`` may stop the writing by
    raising.
    """
    campaign = snapshot.campaign
    folder = Folder(place, {}, progress)
    of_site = scores_of_site(snapshot, with_runs=with_runs, progress=progress)
    further = of_site.runs if of_site is not None else ()
    names = release_names(snapshot, further)
    settings = _without_names(campaign, names)
    track_settings = track_of(campaign).settings.from_stored(settings)
    folder.lines(TOPICS, write_topic_lines(topic_records(campaign, with_dropped=True)))
    for export in in_turn(track_of(campaign).exports):
        records = renamed_records(snapshot, export, names)
        folder.lines(f"{EXPORTS}/{export.name}", export.lines(records, track_settings))
        with (place / EXPORTS / export.name).open(encoding="utf-8", newline="\n") as written:
            for name, lines in single_files(export, (line.removesuffix("\n") for line in written)):
                folder.lines(f"{EXPORTS}/{name}", lines)
    runs = [_write_run(folder, run, names, with_runs=with_runs) for run in accepted_runs(campaign)]
    runs.sort(key=lambda run: by_name(run["name"]))
    folder.write(FORMS, [(_json({run["name"]: _form(run) for run in runs}, indent=1) + "\n").encode()])
    _write_made_of_judgments(folder)
    pools = list(renamed_pools(campaign, names))
    members = PoolItem.objects.filter(COUNTED, pool__in=current_pools(campaign)).order_by().values("item")
    folder.lines(ITEMS, _items(Item.objects.filter(pk__in=members, repeats=None), names.tags))
    left = left_pools(campaign, pooled=members, runs=names.tags, judgments=place / JUDGMENTS)
    folder.lines_if_any(LEFT_ITEMS, chain.from_iterable(_items(items, names.tags) for items in left))
    folder.lines(POOLS, _pool_rows(campaign, names.tags))
    folder.lines(ANCHORS, without_repeats(sorted_externally(_anchors(snapshot), at_once=LINES_AT_ONCE)))
    folder.lines(WORK, (_json(row) for row in _work(campaign)))
    if campaign.design:
        folder.write(DESIGN, [text_of_design(campaign.design).encode()])
    versions = design_versions(campaign)
    for version in versions if len(versions) > 1 else ():
        folder.write(f"{DESIGNS}/{version.version}.toml", [text_of_design(version.design).encode()])
    for guideline in campaign.guidelines.order_by("version"):
        folder.write(f"{GUIDELINES}/{guideline.version}.md", [guideline.text.encode()])
    changes = list(topic_changes(snapshot, names))
    folder.lines_if_any(TOPIC_CHANGES, map(_json, changes))
    folder.lines_if_any(DRAFTS, map(_json, draft_acts(snapshot)))
    folder.lines_if_any(TRANSLATIONS, map(_json, translated_documents(campaign, names)))
    folder.lines_if_any(AGREEMENTS, map(_json, agreement_rows(campaign)))
    folder.lines_if_any(ACCEPTANCES, map(_json, acceptance_rows(snapshot, names.teams)))
    manifest: dict[str, Any] = {
        "layout": LAYOUT,
        "campaign": {"slug": campaign.slug, "title": campaign.title, "time_zone": campaign.time_zone},
        "track": campaign.track,
        "settings": settings,
        "as_of": snapshot.as_of,
        "frozen": frozen_on(campaign).isoformat(),
        "code_version": code_version,
        "scorer": SCORER,
        "missing": missing,
        "guidelines": campaign.guidelines.count(),
        "exports": [export.name for export in track_of(campaign).exports],
        "pools": pools,
        "runs": runs,
        "scored": sorted({*(run["name"] for run in runs), *(names.runs[tag] for tag in further)}, key=by_name),
    }
    if stops := list(stopped_work(snapshot, names)):
        manifest["stopped"] = stops
    if len(versions) > 1:
        manifest["designs"] = len(versions)
    if AGREEMENTS in folder.files:
        manifest["agreement_for"] = campaign.agreement_for
    if corrected := supersedes(snapshot, names):
        manifest["supersedes"] = corrected
    write_scores(folder, manifest, of_site, names)
    folder.write(README, [readme_text(campaign, manifest, folder.files, dropped_by(changes)).encode()])
    manifest["files"] = folder.files
    for name, text in list(descriptions(manifest, place.joinpath)):
        folder.lines(name, text.split("\n"))
    manifest["files"] = dict(sorted(folder.files.items()))
    (place / MANIFEST).write_bytes((_json(manifest, indent=1) + "\n").encode())
    return manifest


def _without_names(campaign: Campaign, names: RunNames) -> dict[str, Any]:
    """Return the settings. A text that names a run or a team is replaced by the track's own text."""
    settings = dict(campaign.settings)
    for field in fields(track_of(campaign).settings):
        if field.metadata.get("lines") and names_any(str(settings.get(field.name, "")), names):
            settings[field.name] = field.default
    return settings


def _write_made_of_judgments(folder: Folder) -> None:
    path = folder.place / JUDGMENTS
    if path.is_file():
        folder.lines(AGREEMENT, agreement_lines(partial(judged_of, path)))
        blocks = report_progress(
            judgment_bytes(path), folder.progress, unit="blocks", note=WRITING, name=JUDGMENT_TABLE
        )
        folder.write(JUDGMENT_TABLE, blocks)


def _write_run(folder: Folder, run: Run, names: RunNames, *, with_runs: bool) -> dict[str, Any]:
    """Write a run's file under its new name if it's released, and return the run's entry in the manifest.

    Raises Invalid if the written file still names its run.
    """
    submission = track_of(run.campaign).submission(run.submission)
    name = names.runs[run.tag]
    said: dict[str, Any] = {
        "name": name,
        "team": names.teams.get(run.team, ""),
        "submission": run.submission,
        "priority": run.priority,
        "automatic": run.automatic,
        "fields": {},
        "file": None,
    }
    if submission is None:
        return said
    chosen = {field.key for field in submission.fields if field.choices}
    said["fields"] = {key: value for key, value in run.fields.items() if key in chosen}
    if not is_released(submission, with_runs=with_runs):
        return said
    suffix = _SUFFIX.search(run.file_name)
    said["file"] = f"{RUNS}/{name}{suffix[0].lower() if suffix else '.txt'}"
    with open_file(run.file) as file:
        pieces = (submission.rename or unchanged)(file, name)
        lines = report_progress(pieces, folder.progress, unit="lines", note=WRITING, name=said["file"])
        folder.write(said["file"], _together(lines))
    if submission.rename is not None and submission.tag is not None:
        with (folder.place / said["file"]).open("rb") as file:
            if submission.tag(file) != name:
                raise Invalid(
                    Sentence(
                        "The file of %(run)s still names its run after it was renamed. Look at the file.", run=run.tag
                    )
                )
    return said


def _together(pieces: Iterator[bytes]) -> Iterator[bytes]:
    while some := list(islice(pieces, PIECES_AT_ONCE)):
        yield b"".join(some)


def _form(run: dict[str, Any]) -> dict[str, Any]:
    """Return a run's entry in runs/forms.json, as a campaign's folder has it."""
    return {
        "tag": run["name"],
        "team": run["team"],
        "priority": run["priority"],
        "automatic": run["automatic"],
        "fields": run["fields"],
    }


def _items(items: QuerySet[Item], runs: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of these items in the order in which they were added."""
    # all as texts: where a column is anything else that is computed, Django has each row go through a function
    given = Case(When(given=True, then=Value("true")), default=Value("false"), output_field=TextField())
    columns = ("topic__number", "kind", "key", "text", "docno", as_text(MORE_FIELDS), given)
    for topic, kind, key, text, docno, said, is_given in items.order_by("id").values_list(*columns).iterator(CHUNK):
        yield (  # as `_json` writes it, in half of the time
            f'{{"docno": {_text(docno)}, "fields": {_WRITTEN(fields_in(said)) if said else "{}"}, '
            f'"given": {is_given}, "key": {_text(renamed_key(key, runs))}, "kind": {_few(kind)}, '
            f'"text": {_text(text)}, "topic": {_few(topic)}}}'
        )


def _pool_rows(campaign: Campaign, runs: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the members of each pool, in an order for which there is an index: sorting would take
    memory.
    """
    columns = ("item__key", "item__topic__number", "item__kind", "stratum", "probability", "place")
    for pool in current_pools(campaign).order_by("task"):
        rows = pool.pool_items.filter(COUNTED, item__repeats=None).order_by("id")
        for key, *said in rows.values_list(*columns).iterator(CHUNK):
            yield f'{{"key": {_text(renamed_key(key, runs))}, {_rest_of_pool_row(pool.task, *said)}'


@lru_cache(maxsize=1_000, typed=True)
def _rest_of_pool_row(task: str, topic: str, kind: str, stratum: str, probability: float, place: int | None) -> str:
    """Return what follows the key in the line of a member of a pool. The members of a topic mostly share it."""
    return (
        f'"kind": {_few(kind)}, "place": {_few(place)}, "probability": {_few(probability)}, '
        f'"stratum": {_few(stratum)}, "task": {_few(task)}, "topic": {_few(topic)}}}'
    )


def _anchors(snapshot: Snapshot) -> Iterator[str]:
    """Yield the places of snippets in their documents. The snippets' words and starts are in judgments.jsonl as
    well.
    """
    rows = current_judgments(snapshot).filter(evidence__isnull=False)
    for docno, evidence in rows.order_by().values_list("item__docno", "evidence").iterator(CHUNK):
        for snippet in evidence or ():
            if snippet["start"] >= 0:
                words = {name: snippet[name] for name in ("quote", "start", "prefix", "suffix", "digest")}
                yield _json({"docno": docno, **words})


def _work(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Yield the assignments in the order in which they were handed out, with people under their pseudonyms.

    ``after`` is the line number of the assignment that this one continues, or 0 if it continues none.
    """
    names = pseudonyms(campaign)
    numbers: dict[int, int] = {}
    for number, work in enumerate(campaign.assignments.select_related("topic").order_by("id"), start=1):
        numbers[work.pk] = number
        yield {
            "topic": work.topic.number,
            "stage": work.stage,
            "by": names[work.assessor_id],
            "role": work.role,
            "state": work.state,
            "after": numbers.get(work.taken_over_id or 0, 0),
        }


_text = encode_basestring  # encodes a text as `_WRITTEN` does, but faster
_WRITTEN = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode  # `json.dumps` makes one for each call

_few = lru_cache(maxsize=1_000, typed=True)(_WRITTEN)
"""The encoder with a cache, for values that recur: names of topics and kinds, probabilities."""


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=indent) if indent else _WRITTEN(value)
