"""Load a release into a site, as a new campaign that gives the same exports and the same scores.

Nothing in a release is trusted: its sums are checked, its tables are read line by line, and judgments are replayed
through the functions that pages call. Documents are not part of a release, so quotes from them stay unchecked.

Blocks of rows are committed one after the other, and memory holds at most the judgments of one topic.
`unfinished_imports` explains why nobody sees the campaign meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, Self

from django.contrib.auth.models import User
from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from assess.assignments.domain.assignments import stage_of_topic
from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import MACHINE_PREFIX
from assess.base.bulk import add_rows
from assess.base.errors import Invalid, Refused
from assess.base.process import code_version
from assess.base.sentences import Sentence
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Campaign, Membership, Role
from assess.documents.domain.adding_items import DOCNO_LIMIT
from assess.documents.models import DocnoList, ValidDocno
from assess.jobs.progress import ReportProgress, no_report
from assess.organising.domain import change_state
from assess.people.domain.accounts import closed_account
from assess.releases.domain.compared_exports import require_same_exports
from assess.releases.domain.import_drafts_and_agreements import add_agreements, add_drafts, read_drafts
from assess.releases.domain.import_rows import BATCH, ReleaseRows, add_pools_and_runs, make_campaign
from assess.releases.domain.import_shapes import mapping_of, one_of, text, whole
from assess.releases.domain.recorded_lines import PERSON, RecordedLines
from assess.releases.domain.stopped_work import add_stopped_work
from assess.releases.domain.topic_changes import add_topic_changes
from assess.releases.domain.translated_documents import add_translated_documents
from assess.releases.domain.unfinished_imports import hidden_campaign, remove_left_over, show_campaign
from assess.replay.replaying import replay_release
from assess.topics.models import Topic
from scoring.reading.opening import LINE_LIMIT, excerpt_of
from scoring.release.releases import (
    ANCHORS,
    JUDGMENTS,
    LEFT_ITEMS,
    WORK,
    BadRelease,
    Release,
    check_files,
    open_release,
)

WORDS = ("prefix", "suffix", "digest")
ANCHOR_MEMBERS = {
    "docno": text(DOCNO_LIMIT),
    "quote": text(LINE_LIMIT),
    "start": whole(0),
    "prefix": text(LINE_LIMIT),
    "suffix": text(LINE_LIMIT),
    "digest": text(64),
}
MEMBERS = {
    "topic": text(100),
    "stage": text(50),
    "by": text(20, PERSON, "assessor-1, or machine-A"),
    "role": one_of(*Assignment.Role.values),
    "state": one_of(*Assignment.State.values),
}
LATER_MEMBERS = {"after": whole(0)}
"""Members that older releases lack."""


def import_release(
    *, actor: User, path: Path, slug: str, title: str = "", progress: ReportProgress = no_report
) -> Campaign:
    """Make a frozen campaign from a release's folder or zip, completely or not at all. Call it outside any transaction.

    Nobody sees the campaign before it is complete, and others can write all the time. Remains of an import that was
    killed are removed first. ``progress`` may stop the import by raising. Assessors become accounts that nobody can log
    in to.

    Refused: something that is not a release, wrong sums, an unknown track, content that the site would not have
    accepted, judgments that give exports other than those in the release, and a slug that is taken.
    """
    try:
        with open_release(path) as release:
            wrong = [f"{name}: {words}" for name, status, words in check_files(release) if status != "ok"]
            if wrong:
                raise Invalid(
                    Sentence(
                        "The release does not check out, so nothing was loaded. %(faults)s", faults=" ".join(wrong[:5])
                    )
                )
            remove_left_over()
            return _import(actor, release, slug=slug, title=title, progress=progress)
    except BadRelease as error:
        raise Invalid(Sentence("Nothing was loaded: %(error)s.", error=str(error))) from error
    except (DataError, IntegrityError, OverflowError, UnicodeEncodeError) as error:
        raise Invalid(
            Sentence("Nothing was loaded: the release says something twice, or too long to be stored.")
        ) from error


def _import(actor: User, release: Release, *, slug: str, title: str, progress: ReportProgress) -> Campaign:
    rows = ReleaseRows(release)
    make = partial(make_campaign, actor=actor, rows=rows, slug=slug, title=title)
    try:
        with hidden_campaign(make) as campaign, Anchors(rows) as anchors, tempfile.TemporaryFile() as kept:
            _fill(actor, campaign, rows, anchors, kept, progress)
    except Refused as refused:
        if refused.field not in ("slug", "title"):
            refused.message += _made_elsewhere(release)
        raise
    return campaign


def _made_elsewhere(release: Release) -> str:
    """Return a sentence on what to do if another version made the release, under which the track may have been another;
    "" if this version made it.
    """
    made_by = release.manifest.get("code_version")
    if not isinstance(made_by, str) or made_by == code_version():
        return ""
    return (
        f" Version {excerpt_of(made_by)} of Assay made this release, and this is {code_version()}. If the evaluation "
        "has changed since then, load the release where that version is installed, and bring that site up to date."
    )


def _fill(
    actor: User, campaign: Campaign, rows: ReleaseRows, anchors: Anchors, kept: IO[bytes], progress: ReportProgress
) -> None:
    release = rows.release
    topics = {topic.number: topic for topic in campaign.topics.all()}
    lines = RecordedLines(release, kept, progress)
    acts = read_drafts(release)  # faults in either are reported before more is done
    add_pools_and_runs(actor=actor, campaign=campaign, rows=rows, topics=topics, progress=progress)
    with transaction.atomic():
        teams = add_agreements(actor=actor, campaign=campaign, rows=rows)
    work = list(rows.table(WORK, MEMBERS, LATER_MEMBERS))
    authors = [act["by"] for _, act in acts if act["do"] == "write"]
    people = _people(campaign, [*(row["by"] for row in work), *lines.people, *authors])
    _add_docnos(campaign, lines.docnos)
    add_translated_documents(campaign, rows)
    made = _hand_out(campaign, work, topics, people)
    campaign.state = Campaign.LOADING
    campaign.save(update_fields=["state"])
    works: dict[tuple[int, str, int], list[Assignment]] = {}
    for each in made:
        works.setdefault((each.topic_id, each.stage, each.assessor_id), []).append(each)
    replay_release(
        actor=actor,
        campaign=campaign,
        lines=lines,
        people=people,
        name=JUDGMENTS,
        anchors=anchors,
        works=works,
        lacks_left_items=LEFT_ITEMS not in release.files,
        progress=progress,
    )
    add_drafts(actor=actor, campaign=campaign, acts=acts, people=people)
    data = {"as_of": release.manifest["as_of"], "files": len(release.files), "lines": len(lines)}
    data |= {"supersedes": release.manifest["supersedes"]} if "supersedes" in release.manifest else {}
    about = {"names": sorted({*_names(release), *teams}), "missing": _missing(release)}
    with transaction.atomic():
        add_topic_changes(actor=actor, campaign=campaign, rows=rows)
        add_stopped_work(actor=actor, campaign=campaign, release=release, works=made)
        change_state(actor=actor, campaign=campaign, state=Campaign.State.FROZEN)
        record_activity(actor=actor, action="release.import", campaign=campaign, about=campaign, data=data | about)
    require_same_exports(campaign, release, progress)
    with transaction.atomic():
        show_campaign(campaign)


def _names(release: Release) -> set[str]:
    """Return the names of runs and teams in the release. A release made from the copy uses the same names."""
    runs = release.manifest["runs"]
    return {run["name"] for run in runs} | {run["team"] for run in runs if run["team"]}


def _missing(release: Release) -> dict[str, int]:
    """Return what was missing when the campaign of the release was frozen. Raises `BadRelease` for another shape."""
    said = release.manifest.get("missing")
    if problem := mapping_of(text(50), whole(1))(said):
        raise BadRelease(f"manifest.json: “missing” {problem}")
    return dict(said or {})


class Anchors:
    """The text around snippets in documents that are not stored here, by docno, quote and start.

    There may be as many as judgments, so they are stored on disk, in a table that is deleted when the process ends.
    """

    def __init__(self, rows: ReleaseRows) -> None:
        self._kept = sqlite3.connect("")
        self._kept.execute("CREATE TABLE anchor (place BLOB PRIMARY KEY, prefix TEXT, suffix TEXT, digest TEXT)")
        self._kept.executemany(
            "INSERT OR REPLACE INTO anchor VALUES (?, ?, ?, ?)",
            (
                (_place_of(row["docno"], row["quote"], row["start"]), *(row[name] for name in WORDS))
                for row in rows.table(ANCHORS, ANCHOR_MEMBERS)
            ),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def get(self, docno: str, quote: str, start: int) -> dict[str, str]:
        """Return the words around a snippet and their digest; empty if the release lacks them."""
        place = (_place_of(docno, quote, start),)
        found = self._kept.execute("SELECT prefix, suffix, digest FROM anchor WHERE place = ?", place).fetchone()
        return dict(zip(WORDS, found, strict=True)) if found else {}


def _place_of(docno: str, quote: str, start: int) -> bytes:
    return hashlib.sha256(json.dumps([docno, quote, start]).encode()).digest()


def _people(campaign: Campaign, names: Iterable[str]) -> dict[str, User]:
    """Return an account for every pseudonym. It judges in the campaign, and nobody can log in to it."""
    people: dict[str, User] = {}
    for name in dict.fromkeys(names):
        with transaction.atomic():
            people[name] = _person(campaign, name)
    return people


def _person(campaign: Campaign, name: str) -> User:
    username = f"{name}@{campaign.slug}"
    person = closed_account(username)
    if person is None:
        raise Invalid(
            Sentence("There is somebody called %(name)s here already. Choose another short name.", name=username)
        )
    is_machine = name.startswith(MACHINE_PREFIX)
    Membership.objects.get_or_create(
        campaign=campaign, user=person, role=Role.ASSESSOR, defaults={"is_machine": is_machine}
    )
    return person


def _add_docnos(campaign: Campaign, docnos: Iterable[str]) -> None:
    """Make these docnos valid, in a list of their own. Assessors found answers in these documents, which are not stored
    here.
    """
    found = sorted(docnos)
    if not found:
        return
    made = DocnoList.objects.create(campaign=campaign, name="release", docnos=len(found), in_place=True)
    remaining = iter(found)
    while batch := list(islice(remaining, BATCH)):
        with transaction.atomic():
            add_rows(ValidDocno, ("docno_list_id", "docno"), [(made.pk, docno) for docno in batch])


def _hand_out(
    campaign: Campaign,
    work: list[dict[str, Any]],
    topics: Mapping[str, Topic],
    people: Mapping[str, User],
) -> list[Assignment]:
    """Add the assignments in the states in which they ended, in their original order, which decides who is assessor-1.

    An assignment that continued another one does so here, too. Raise `BadRelease` for a topic that is not in the
    release, for work that is handed out twice, and for an assignment that can't continue the one it names.
    """
    made: list[Assignment] = []
    now = timezone.now()
    live: set[tuple[str, ...]] = set()
    for number, row in enumerate(work, start=1):
        topic = topics.get(row["topic"])
        if topic is None:
            raise BadRelease(f"{WORK}: line {number} is of no topic of the release")
        _require_free(live, row, number)
        stage_of_topic(campaign=campaign, topic=topic, stage=row["stage"])
        before = _before(made, row, number, topic)
        assignment = Assignment.objects.create(
            campaign=campaign,
            topic=topic,
            stage=row["stage"],
            assessor=people[row["by"]],
            role=row["role"],
            state=row["state"],
            started_at=now if row["state"] != Assignment.State.OPEN else None,
            done_at=now if row["state"] == Assignment.State.DONE else None,
            seed=number,
            taken_over=before,
            chain_start_id=before.chain_start_or_own_id if before is not None else None,
        )
        made.append(assignment)
    return made


def _require_free(live: set[tuple[str, ...]], row: Mapping[str, str], number: int) -> None:
    """Add the places that an assignment takes to ``live``; refuse it if one of them is taken already.

    Its person's place in the stage of the topic is one. A primary assessor's assignment also takes the stage's place
    for primary assessors. An assignment that was given back takes none.
    """
    if row["state"] == Assignment.State.RETURNED:
        return
    places: set[tuple[str, ...]] = {(row["topic"], row["stage"], row["by"])}
    if row["role"] == Assignment.Role.PRIMARY:
        places.add((row["topic"], row["stage"]))
    if places & live:
        raise BadRelease(f"{WORK}: line {number} hands out again what was handed out and not given back")
    live |= places


def _before(made: Sequence[Assignment], row: Mapping[str, Any], number: int, topic: Topic) -> Assignment | None:
    """Return the assignment that a row continues, or None if it continues none. Raise `BadRelease` if it can't continue
    the one that it names.
    """
    after: int = row["after"] or 0
    if after == 0:
        return None
    if 1 <= after < number:
        before = made[after - 1]
        same = (before.topic_id, before.stage, before.role) == (topic.pk, row["stage"], row["role"])
        is_free = not any(each.taken_over_id == before.pk for each in made)
        if same and is_free and before.state == Assignment.State.RETURNED:
            return before
    raise BadRelease(f"{WORK}: line {number} goes on with work that there is not")
