"""Loading a release into a site: a new campaign that gives the same exports and the same scores.

Nothing of a release is believed: its sums are checked, its tables are read line by line, and judgments are replayed
through the functions that pages call. Documents are no part of a release, so quotes from them stay unchecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import DataError, IntegrityError, transaction

from assess.domain.activity import record_activity
from assess.domain.campaigns.campaigns import change_state
from assess.domain.errors import Invalid
from assess.domain.releases.rows import ReleaseRows, make_campaign
from assess.domain.reports import Collector
from assess.domain.work.assignments import stage_of_topic
from assess.models import Assignment, Campaign, Membership, Role, Topic, ValidDocno
from assess.queries.exports.pseudonyms import MACHINE_PREFIX
from nuggets.domain.replay import replay_lines
from nuggets.domain.replay_session import Line
from scoring.deeds import AnswerFound
from scoring.formats.judgments_jsonl import read_numbered_judgments
from scoring.reading import split_issues
from scoring.releases import ANCHORS, JUDGMENTS, WORK, BadRelease, Release, check_files, open_release

STATES = {state.value for state in Assignment.State}
ANCHOR_MEMBERS = {"docno": str, "quote": str, "start": int, "prefix": str, "suffix": str, "digest": str}
MEMBERS = {"topic": str, "stage": str, "by": str, "role": str, "state": str}


def import_release(*, actor: User, path: Path, slug: str, title: str = "") -> Campaign:
    """Make a frozen campaign from a release's folder or zip: all of it, or nothing.

    Assessors become accounts that nobody can log in to. Refused: what is no release, whose sums do not check out,
    whose track is not known here, or that says something that the site would not have taken; a slug that is taken.
    """
    try:
        with open_release(path) as release:
            wrong = [f"{name}: {words}" for name, status, words in check_files(release) if status != "ok"]
            if wrong:
                raise Invalid("The release does not check out, so nothing was loaded. " + " ".join(wrong[:5]))
            with transaction.atomic():
                return _import(actor, release, slug=slug, title=title)
    except BadRelease as error:
        raise Invalid(f"Nothing was loaded: {error}.") from error
    except (DataError, IntegrityError, OverflowError, UnicodeEncodeError) as error:
        raise Invalid(f"Nothing was loaded: the release holds what can't be stored ({error}).") from error


def _import(actor: User, release: Release, *, slug: str, title: str) -> Campaign:
    rows = ReleaseRows(release)
    campaign = make_campaign(actor=actor, rows=rows, slug=slug, title=title)
    topics = {topic.number: topic for topic in campaign.topics.all()}
    lines = _lines(release)
    work = list(rows.table(WORK, MEMBERS))
    people = _people(campaign, [*(row["by"] for row in work), *(line.deed.by for line in lines)])
    _add_docnos(campaign, lines)
    made = _hand_out(campaign, work, topics, people)
    change_state(actor=actor, campaign=campaign, state=Campaign.State.JUDGING)
    replay_lines(
        actor=actor,
        campaign=campaign,
        lines=lines,
        people=people,
        name=JUDGMENTS,
        anchors=_anchors(rows),
        given_back=_given_back(made),
    )
    for assignment, state in made:
        Assignment.objects.filter(pk=assignment.pk).update(state=state)
    change_state(actor=actor, campaign=campaign, state=Campaign.State.FROZEN)
    data = {"as_of": release.manifest["as_of"], "files": len(release.files), "lines": len(lines)}
    record_activity(actor=actor, action="release.import", campaign=campaign, about=campaign, data=data)
    return campaign


def _lines(release: Release) -> list[Line]:
    path = release.path(JUDGMENTS)
    if JUDGMENTS not in release.files:
        raise BadRelease(f"it has no {JUDGMENTS}, so nobody can tell who said what")
    problems = Collector()
    with path.open("rb") as file:
        lines = [Line(*each) for each in split_issues(read_numbered_judgments(file), problems)]
    problems.refuse_errors(name=JUDGMENTS)
    return lines


def _anchors(rows: ReleaseRows) -> dict[tuple[str, str, int], dict[str, str]]:
    """What stands around snippets in documents that are not stored here, by docno, quote and start."""
    found = {}
    for row in rows.table(ANCHORS, ANCHOR_MEMBERS):
        words = {name: row[name] for name in ("prefix", "suffix", "digest")}
        found[row["docno"], row["quote"], row["start"]] = words
    return found


def _people(campaign: Campaign, names: Iterable[str]) -> dict[str, User]:
    """An account for every pseudonym, that judges here and that nobody can log in to."""
    people: dict[str, User] = {}
    for name in dict.fromkeys(names):
        username = f"{name[:60]}@{campaign.slug}"
        person, made = User.objects.get_or_create(username=username, defaults={"is_active": False})
        if not made and person.is_active:
            raise Invalid(f"There is somebody called {username} here already. Choose another --slug.")
        if made:
            person.set_unusable_password()
            person.save()
        is_machine = name.startswith(MACHINE_PREFIX)
        Membership.objects.get_or_create(
            campaign=campaign, user=person, role=Role.ASSESSOR, defaults={"is_machine": is_machine}
        )
        people[name] = person
    return people


def _add_docnos(campaign: Campaign, lines: Iterable[Line]) -> None:
    """The documents that assessors found answers in belong to the collection, though they are not stored here."""
    docnos = {line.deed.docno for line in lines if isinstance(line.deed, AnswerFound)} - {""}
    ValidDocno.objects.bulk_create(
        [ValidDocno(campaign=campaign, docno=docno) for docno in sorted(docnos)], batch_size=2_000
    )


def _hand_out(
    campaign: Campaign, work: list[dict[str, Any]], topics: Mapping[str, Topic], people: Mapping[str, User]
) -> list[tuple[Assignment, str]]:
    """The work as it was handed out, in the same order, which decides who is called assessor-1; and how it ended."""
    made = []
    for number, row in enumerate(work, start=1):
        topic = topics.get(row["topic"])
        if topic is None or row["state"] not in STATES or row["role"] not in Assignment.Role.values:
            raise BadRelease(f"{WORK}: line {number} is no piece of work of this campaign")
        stage_of_topic(campaign=campaign, topic=topic, stage=row["stage"])
        is_back = row["state"] == Assignment.State.RETURNED
        assignment = Assignment.objects.create(
            campaign=campaign,
            topic=topic,
            stage=row["stage"],
            assessor=people[row["by"]],
            role=row["role"],
            state=Assignment.State.RETURNED if is_back else Assignment.State.OPEN,
            seed=number,
        )
        made.append((assignment, row["state"]))
    return made


def _given_back(made: list[tuple[Assignment, str]]) -> dict[tuple[int, str, int], int]:
    """The newest piece of work that somebody gave back and was not given again, by topic, stage and person."""
    live = {_place(assignment) for assignment, state in made if state != Assignment.State.RETURNED}
    back = {_place(each): each.pk for each, state in made if state == Assignment.State.RETURNED}
    return {place: pk for place, pk in back.items() if place not in live}


def _place(assignment: Assignment) -> tuple[int, str, int]:
    return assignment.topic_id, assignment.stage, assignment.assessor_id
