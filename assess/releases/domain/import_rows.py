"""Check the rows of a release's topics, items, pools and runs, and store them."""

from __future__ import annotations

import sys
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any

from django.contrib.auth.models import User
from django.db import DataError, IntegrityError, connection, transaction

from assess.base.bulk import add_rows
from assess.base.files import open_file, store_file
from assess.campaigns.dates import time_zones
from assess.campaigns.domain import create_campaign
from assess.campaigns.models import Campaign, Guideline
from assess.campaigns.queries import registered_tracks, settings_of, track_of, track_of_text
from assess.documents.domain.adding_items import DOCNO_LIMIT, KEY_LIMIT, KIND_LIMIT, ItemKey
from assess.items.models import Item, Pool
from assess.jobs.progress import JobProgress, ReportProgress, report_progress
from assess.organising.design_versions import add_versions
from assess.protocol import CheckContext, RunContent, Submission
from assess.protocol.records import read_topic_lines
from assess.releases.domain.import_shapes import RECIPE, Check, checked_row, flag, mapping, or_null, share, text, whole
from assess.runs.domain.accepted_runs import store_run
from assess.runs.models import Run
from assess.topics.domain.loading import add_topics
from assess.topics.models import Topic
from assess.topics.queries import topic_records
from scoring.reading.json_reading import parse_json
from scoring.reading.opening import TEXT_LIMIT, text_lines
from scoring.records import Issue
from scoring.release.releases import (
    DESIGN,
    DESIGNS,
    FILES_LIMIT,
    GUIDELINES,
    ITEMS,
    LEFT_ITEMS,
    POOLS,
    SIZE_LIMIT,
    TOPICS,
    BadRelease,
    Release,
)

Shape = Mapping[str, Check]
BATCH = 1_000
"""How many rows are stored in one transaction."""

NAME, TEAM = r"RUN-[A-Z]{1,6}", r"(TEAM-[A-Z]{1,6})?"
ITEM_MEMBERS: Shape = {
    "topic": text(100),
    "kind": text(KIND_LIMIT),
    "key": text(KEY_LIMIT),
    "text": text(TEXT_LIMIT),
    "docno": text(DOCNO_LIMIT),
    "fields": mapping,
    "given": flag,
}
POOL_MEMBERS: Shape = {
    "task": text(50),
    "topic": text(100),
    "kind": text(KIND_LIMIT),
    "key": text(KEY_LIMIT),
    "stratum": text(50),
    "probability": share,
    "place": or_null(whole(1)),
}
MADE_BY: Shape = {"task": text(50), "digest": text(64, r"[0-9a-f]{64}", "a sha256"), "recipe": RECIPE}
RUN_MEMBERS: Shape = {
    "name": text(20, NAME, "RUN-A"),
    "team": text(20, TEAM, "TEAM-A, or empty"),
    "submission": text(50),
    "priority": or_null(whole(0, 32_767)),
    "automatic": flag,
    "fields": mapping,
    "file": or_null(text(300)),
}
ABOUT: Shape = {"slug": text(50), "title": text(200), "time_zone": text(64)}


class ReleaseRows:
    """The tables of a release as rows with the required members. `BadRelease` names a line that lacks them."""

    def __init__(self, release: Release) -> None:
        self.release = release

    def table(self, name: str, members: Shape, further: Shape | None = None) -> Iterator[dict[str, Any]]:
        """Yield the objects in a file of JSON lines. ``further`` members are None if a line lacks them.

        Raises `BadRelease` if there is no such file, and for a line that is no such object.
        """
        if name not in self.release.files:
            raise BadRelease(f"it has no {name}")
        with self.release.path(name).open("rb") as file:
            for line in text_lines(file, limit=TEXT_LIMIT):
                if isinstance(line, Issue):
                    raise BadRelease(f"{name}: line {line.where}: {line.message}")
                yield checked_row(parse_json(line[1]), members, f"{name}: line {line[0]}", further)


def make_campaign(*, actor: User, rows: ReleaseRows, slug: str, title: str) -> Campaign:
    """Make a campaign in set-up with the release's design, settings, guidelines and topics. Needs a transaction.

    Raise `BadRelease` for a release in which any of these is malformed. What `create_campaign` refuses is refused.
    """
    manifest = rows.release.manifest
    about = checked_row(manifest["campaign"], ABOUT, "manifest.json: campaign")
    if about["time_zone"] not in time_zones():
        raise BadRelease(f"manifest.json: campaign: there is no time zone “{about['time_zone']}” here")
    design = _design(rows.release)
    track = track_of_text(design) if design else registered_tracks().get(manifest["track"])
    settings = manifest["settings"] if track is None else track.settings.with_later(manifest["settings"])
    campaign = create_campaign(
        actor=actor,
        slug=slug,
        title=title or about["title"],
        track=manifest["track"],
        design=design,
        settings=settings,
    )
    campaign.time_zone = about["time_zone"]
    campaign.save(update_fields=["time_zone"])
    add_versions(actor=actor, campaign=campaign, texts=_versions(rows.release, design))
    _add_guidelines(actor, campaign, rows.release)
    _add_topics(actor, campaign, rows.release)
    return campaign


def _design(release: Release) -> str:
    """Return the text of the organiser's own design, or "" if the campaign has an installed track. Raises `BadRelease`
    for a design that is not in UTF-8.
    """
    if DESIGN not in release.files:
        return ""
    try:
        return release.path(DESIGN).read_bytes().decode()
    except UnicodeDecodeError as error:
        raise BadRelease(f"{DESIGN} is no text in UTF-8") from error


def _versions(release: Release, design: str) -> list[str]:
    """Return the texts of all versions of the design, the first one first, or an empty list if there is only one. Raise
    `BadRelease` if one is missing, or if the last one is not the design in force.
    """
    held = [name for name in release.files if name.startswith(f"{DESIGNS}/")]
    said = release.manifest.get("designs")
    if said is None and not held:
        return []
    names = [f"{DESIGNS}/{number + 1}.toml" for number in range(len(held))]
    if said != len(held) or set(held) != set(names) or len(held) < 2:
        raise BadRelease(f"manifest.json: “designs” is not how many versions {DESIGNS}/ has, numbered from 1")
    try:
        texts = [release.path(name).read_bytes().decode() for name in names]
    except UnicodeDecodeError as error:
        raise BadRelease(f"a version in {DESIGNS}/ is no text in UTF-8") from error
    if texts[-1] != design:
        raise BadRelease(f"{names[-1]}, the last version, is not {DESIGN}")
    return texts


def add_pools_and_runs(
    *, actor: User, campaign: Campaign, rows: ReleaseRows, topics: Mapping[str, Topic], progress: ReportProgress
) -> None:
    """Add the release's items, pools and runs, with a block of rows in each transaction.

    Raises `BadRelease`, with the line, for one that can't be stored.
    """
    manifest = rows.release.manifest
    pools = _pools(campaign, manifest["pools"])
    try:
        _add_items(rows, topics, progress)
        _add_pool_items(rows, topics, pools, progress)
    except (IntegrityError, _Unfit) as error:
        _refuse_lines(rows, topics, pools)
        raise BadRelease(f"{ITEMS} or {POOLS} says something twice") from error
    names: set[str] = set()
    for number, run in enumerate(manifest["runs"], start=1):
        where = f"manifest.json: run {number}"
        said = checked_row(run, RUN_MEMBERS, where)
        _require_new(said["name"], names, where)
        names.add(said["name"])
        progress(JobProgress(done=number, total=len(manifest["runs"]), unit="runs"))
        _add_run(actor, campaign, rows.release, said, where)


def _add_guidelines(actor: User, campaign: Campaign, release: Release) -> None:
    """Publish the versions of the guidelines, which must be UTF-8."""
    versions: Any = release.manifest.get("guidelines")
    if problem := whole(0, FILES_LIMIT)(versions):
        raise BadRelease(f"manifest.json: “guidelines” {problem}: how many versions there are")
    held = sum(name.startswith(f"{GUIDELINES}/") for name in release.files)
    if held > versions:
        raise BadRelease(f"it has {held:,} files in {GUIDELINES}/, and manifest.json says that there are {versions:,}")
    campaign.guidelines.all().delete()
    for version in range(1, versions + 1):
        name = f"{GUIDELINES}/{version}.md"
        if name not in release.files:
            raise BadRelease(f"it has no {name}, and manifest.json says that there are {versions:,} versions")
        try:
            words = release.path(name).read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadRelease(f"{name}: byte {error.start + 1:,} is not UTF-8") from error
        if "\0" in words:
            raise BadRelease(f"{name} holds a NUL, which can't be stored")
        Guideline.objects.create(campaign=campaign, version=version, text=words, published_by=actor)


def _add_topics(actor: User, campaign: Campaign, release: Release) -> None:
    if TOPICS not in release.files:
        raise BadRelease(f"it has no {TOPICS}")
    with release.path(TOPICS).open("rb") as file:
        add_topics(actor=actor, campaign=campaign, records=read_topic_lines(file), name=TOPICS)


class _Unfit(Exception):
    """Raised if some line of the items or of the pools is refused. `_refuse_lines` finds which one."""


def _files_of_items(rows: ReleaseRows) -> tuple[str, ...]:
    return (ITEMS, LEFT_ITEMS) if LEFT_ITEMS in rows.release.files else (ITEMS,)


def _add_items(rows: ReleaseRows, topics: Mapping[str, Topic], progress: ReportProgress) -> None:
    """Add the items in order. The database table itself refuses duplicates."""
    ids = {number: topic.pk for number, topic in topics.items()}
    fields = Item._meta.get_field("fields")
    columns = ("topic_id", "kind", "key", "text", "docno", "fields", "given")
    batches = (_batches(rows.table(name, ITEM_MEMBERS), progress, name) for name in _files_of_items(rows))
    for batch in chain.from_iterable(batches):
        if any(row["topic"] not in ids for row in batch):
            raise _Unfit
        stored = [
            (
                *(ids[row["topic"]], row["kind"], row["key"], row["text"], row["docno"]),
                *(fields.get_db_prep_save(row["fields"], connection) if row["fields"] else "{}", row["given"]),
            )
            for row in batch
        ]
        with transaction.atomic():
            add_rows(Item, columns, stored)


def _add_pool_items(
    rows: ReleaseRows, topics: Mapping[str, Topic], pools: Mapping[str, Pool], progress: ReportProgress
) -> None:
    """Add the members of the pools in order. Each item is looked up by its key in the database. Raises `_Unfit` for a
    member whose task, topic or item is not there.
    """
    ids = {number: topic.pk for number, topic in topics.items()}
    own = {task: pool.pk for task, pool in pools.items()}
    for batch in _batches(rows.table(POOLS, POOL_MEMBERS), progress, POOLS):
        if any(row["task"] not in own or row["topic"] not in ids for row in batch):
            raise _Unfit
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO assess_poolitem (pool_id, item_id, stratum, probability, place) "
                "SELECT %s, id, %s, %s, %s FROM assess_item WHERE topic_id = %s AND kind = %s AND key = %s",
                [
                    (
                        *(own[row["task"]], row["stratum"], row["probability"], row["place"]),
                        *(ids[row["topic"]], row["kind"], row["key"]),
                    )
                    for row in batch
                ],
            )
            if cursor.rowcount != len(batch):
                raise _Unfit


def _refuse_lines(rows: ReleaseRows, topics: Mapping[str, Topic], pools: Mapping[str, Pool]) -> None:
    """Raise `BadRelease` with the first line of items or pools that can't be stored.

    It keeps all keys in memory, and stores nothing.
    """
    items: set[ItemKey] = set()
    for name in _files_of_items(rows):
        for number, row in enumerate(rows.table(name, ITEM_MEMBERS), start=1):
            if row["topic"] not in topics:
                raise BadRelease(f"{name}: line {number} is of no topic of the release")
            key = (row["topic"], sys.intern(row["kind"]), row["key"])
            _require_new(key, items, f"{name}: line {number}")
            items.add(key)
    seen: dict[str, set[ItemKey]] = {task: set() for task in pools}
    for number, row in enumerate(rows.table(POOLS, POOL_MEMBERS), start=1):
        key = (row["topic"], sys.intern(row["kind"]), row["key"])
        if row["task"] not in pools or key not in items:
            raise BadRelease(f"{POOLS}: line {number} is of no pool or no item of the release")
        _require_new(key, seen[row["task"]], f"{POOLS}: line {number}")
        seen[row["task"]].add(key)


def _pools(campaign: Campaign, said_of: list[Any]) -> dict[str, Pool]:
    """Make the pools, without their members, and return them by task. Raises `BadRelease` for an entry of the manifest
    with a wrong shape, a second pool of a task, and a task that the track does not have.
    """
    tasks = {task.key for task in track_of(campaign).tasks}
    pools: dict[str, Pool] = {}
    for number, said in enumerate(said_of, start=1):
        where = f"manifest.json: pool {number}"
        row = checked_row(said, MADE_BY, where)
        _require_new(row["task"], pools, where)
        if row["task"] not in tasks:
            raise BadRelease(f"{where} is of no task of the track")
        pools[row["task"]] = Pool.objects.create(campaign=campaign, **row)
    return pools


def _batches(rows: Iterable[dict[str, Any]], progress: ReportProgress, name: str) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows in batches of one transaction, since there may be millions."""
    remaining = report_progress(rows, progress, unit="lines", note="%(name)s", name=name)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def _require_new(key: Hashable, known: Container[Hashable], where: str) -> None:
    if key in known:
        raise BadRelease(f"{where} says the same as one before it")


def _add_run(actor: User, campaign: Campaign, release: Release, said: dict[str, Any], where: str) -> None:
    """Add an accepted run with what it returned; nothing if its file is left out of the release.

    It was checked when it was submitted; here it only has to be readable. Raises `BadRelease` for a kind of run or
    an answer in the form that the track does not know, a file that the release lacks, and one that can't be stored.
    """
    submission = track_of(campaign).submission(said["submission"])
    if submission is None:
        raise BadRelease(f"{where}: “submission” is no kind of run that its track knows")
    choices = {field.key: {key for key, _ in field.choices} for field in submission.fields}
    for name, value in said["fields"].items():
        if not isinstance(value, str) or value not in choices.get(name, ()):
            raise BadRelease(f"{where}: “fields” says what the track's form does not ask, in {name[:40]}")
    if said["file"] is None:
        return
    if said["file"] not in release.files:
        raise BadRelease(f"{where}: “file” is none of the release")
    try:
        _store(actor, campaign, release, said, submission)
    except (DataError, IntegrityError, OverflowError) as error:
        raise BadRelease(f"{said['file']} says something twice that a run says once, or too long to be kept") from error


def _store(actor: User, campaign: Campaign, release: Release, said: dict[str, Any], submission: Submission) -> None:
    with release.path(said["file"]).open("rb") as file:
        kept = store_file(file, SIZE_LIMIT)
    with open_file(kept.sha256) as file:
        if any(submission.unreadable(file)):
            raise BadRelease(f"{said['file']} can't be read by its track")
    with transaction.atomic():
        run = Run.objects.create(
            campaign=campaign,
            submission=submission.key,
            tag=said["name"],
            team=said["team"],
            priority=said["priority"],
            automatic=said["automatic"],
            fields=said["fields"],
            file=kept.sha256,
            file_name=said["file"].rsplit("/", 1)[-1],
            size=kept.size,
            state=Run.State.ACCEPTED,
            submitted_by=actor,
        )
    context = CheckContext(topics=topic_records(campaign), settings=settings_of(campaign))
    content = RunContent(submission=submission, open=partial(open_file, kept.sha256), context=context, run=run.tag)
    known = {topic.number for topic in context.topics}
    ranked = [topic for kind in submission.rankings for topic in content.ranked_topics(kind.kind) if topic in known]
    store_run(
        run=run,
        segments=content.segments(),
        responses=content.responses(),
        ranked_topics=dict.fromkeys(ranked),
    )
