"""Load a release's user agreement, its acceptances, and its topic drafts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.models import Assignment
from assess.base.errors import Invalid
from assess.base.sentences import Sentence
from assess.campaigns.activity import record_activity, require_open_now
from assess.campaigns.models import Campaign, Membership, Part, Role
from assess.campaigns.queries import drafting_of
from assess.ledger.models import number_rows
from assess.people.domain.accounts import closed_account
from assess.protocol import Drafting
from assess.releases.domain.draft_acts import Act, DraftFollower, FollowedDraft, questions_in, read_acts
from assess.releases.domain.import_rows import ReleaseRows
from assess.releases.domain.import_shapes import list_whose, one_of, text, whole
from assess.topic_drafts.domain.steps import content_values
from assess.topic_drafts.domain.writing import checked_content, missing_of
from assess.topic_drafts.models import DraftFind, DraftStep, TopicDraft
from assess.topic_drafts.queries import find_kinds
from assess.topics.queries import topic_records
from assess.user_agreements.domain import TEXT_LIMIT, accept_user_agreement, set_user_agreement
from assess.user_agreements.models import Acceptance, UserAgreement
from scoring.release.releases import ACCEPTANCES, AGREEMENTS, DRAFTS, BadRelease, Release

BLOCK = 500
"""How many acts are stored in one transaction."""

Action, Kind = DraftStep.Action, DraftFind.Kind
DAY = text(10, r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "2026-06-24")
AGREEMENT_MEMBERS = {"version": whole(1), "text": text(TEXT_LIMIT), "published": DAY}
ACCEPTANCE_MEMBERS = {
    "version": whole(1),
    "team": text(20, r"TEAM-[A-Z]{1,6}", "TEAM-A"),
    "by": one_of("team", "organiser"),
    "accepted": DAY,
}


# ---------------------------------------------------------------- user agreement


def add_agreements(*, actor: User, campaign: Campaign, rows: ReleaseRows) -> list[str]:
    """Publish the versions of the user agreement in order, each accepted by its teams. Return the teams' names.

    A team that accepted by itself does so here through an account that nobody can log in to. Needs a transaction.
    Raise `BadRelease` for a malformed row, and for versions or acceptances that do not fit together.
    """
    if AGREEMENTS not in rows.release.files:
        if ACCEPTANCES in rows.release.files:
            raise BadRelease(f"it has {ACCEPTANCES} and no {AGREEMENTS}")
        return []
    parts = rows.release.manifest.get("agreement_for")
    if problem := list_whose(one_of(*Part.values))(parts):
        raise BadRelease(f"manifest.json: “agreement_for” {problem}")
    given = _acceptances(rows)
    versions = 0
    for version, row in enumerate(rows.table(AGREEMENTS, AGREEMENT_MEMBERS), start=1):
        where = f"{AGREEMENTS}: line {version}"
        if row["version"] != version:
            raise BadRelease(f"{where}: “version” must be {version}; it is {row['version']}")
        published = _noon(row["published"], f"{where}: “published”")
        set_user_agreement(actor=actor, campaign=campaign, text=row["text"], parts=parts or ())
        if not UserAgreement.objects.filter(campaign=campaign, version=version).update(published_at=published):
            raise BadRelease(f"{where}: “text” is empty, or that of the version before it")
        for number, said in given.pop(version, ()):
            _accept(actor, campaign, said, f"{ACCEPTANCES}: line {number}")
        versions = version
    if given:
        number, said = next(iter(given.values()))[0]
        raise BadRelease(f"{ACCEPTANCES}: line {number}: there is no version {said['version']}, only {versions}")
    return sorted(set(Acceptance.objects.filter(agreement__campaign=campaign).values_list("team", flat=True)))


def _acceptances(rows: ReleaseRows) -> dict[int, list[tuple[int, dict[str, Any]]]]:
    """Return the acceptances by version, each with its line number."""
    given: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    if ACCEPTANCES in rows.release.files:
        for number, row in enumerate(rows.table(ACCEPTANCES, ACCEPTANCE_MEMBERS), start=1):
            given.setdefault(row["version"], []).append((number, row))
    return given


def _accept(actor: User, campaign: Campaign, said: dict[str, Any], where: str) -> None:
    accepted = _noon(said["accepted"], f"{where}: “accepted”")
    if Acceptance.objects.filter(agreement__campaign=campaign, agreement__version=said["version"], team=said["team"]):
        raise BadRelease(f"{where} says the same as one before it")
    member = _member(campaign, said["team"])
    by = member if said["by"] == "team" else actor
    made = accept_user_agreement(actor=by, campaign=campaign, version=said["version"], team=said["team"])
    Acceptance.objects.filter(pk=made.pk).update(accepted_at=accepted)


def _member(campaign: Campaign, team: str) -> User:
    """Return the account that takes part for a team here, to which nobody can log in. Raise `Invalid` if a person has
    its name.
    """
    name = f"{team}@{campaign.slug}"
    person = closed_account(name)
    if person is None:
        raise Invalid(Sentence("There is somebody called %(name)s here already. Choose another short name.", name=name))
    Membership.objects.get_or_create(campaign=campaign, user=person, role=Role.PARTICIPANT, defaults={"team": team})
    return person


def _noon(day: str, where: str) -> datetime:
    """Return noon (UTC) of a day, which is on that day nearly everywhere."""
    try:
        return datetime.combine(date.fromisoformat(day), time(12), UTC)
    except ValueError as error:
        raise BadRelease(f"{where} must be a day; it is {day}") from error


# ---------------------------------------------------------------- topic drafts


def read_drafts(release: Release) -> list[tuple[str, Act]]:
    """Return the acts of all drafts, each with its place in the file. The list is empty if the release has none."""
    return list(read_acts(release)) if DRAFTS in release.files else []


def add_drafts(
    *, actor: User, campaign: Campaign, acts: list[tuple[str, Act]], people: Mapping[str, User]
) -> dict[str, int]:
    """Store the drafts with all their acts, in order. Return how many drafts there are in each state.

    Call it after everything else has been replayed; otherwise finds would be carried into the judging a second time.
    Raise `BadRelease` for an impossible act, for one that the site would have refused, and for estimates or topics that
    do not follow from earlier acts. Documents are missing here, so quotes stay unchecked.
    """
    if not acts:
        return {}
    drafting = drafting_of(campaign)
    if drafting is None:
        raise BadRelease(f"it has {DRAFTS}, and topics of its track come in files alone")
    topics = {topic.number: topic for topic in topic_records(campaign)}
    followed = DraftFollower(drafting=drafting, topics=topics)
    desk = _Desk(actor, campaign, people)
    for where, act in acts:
        before = followed.drafts.get(act["draft"])
        find = before.finds.get(act.get("find", 0)) if before is not None else None
        draft = followed.take(where, act)
        _require_usual(where, act, draft, drafting, campaign)
        desk.add(where, act, draft, find)
    desk.flush()
    numbers = {topic.number: topic for topic in campaign.topics.all()}
    states: dict[str, int] = {}
    for draft in followed.drafts.values():
        states[draft.state] = states.get(draft.state, 0) + 1
        if draft.topic:
            TopicDraft.objects.filter(pk=desk.drafts[draft.number].pk).update(topic=numbers[draft.topic])
    return states


def _require_usual(where: str, act: Act, draft: FollowedDraft, drafting: Drafting, campaign: Campaign) -> None:
    """Refuse what pages refuse: content that would have been stored differently, an unfinished draft, an empty find."""
    try:
        if act["do"] == "write" and checked_content(draft.content, drafting=drafting) != draft.content:
            raise BadRelease(f"{where}: “content” is not as the site keeps it: spaces at an end, or an empty question")
    except Invalid as refused:
        raise BadRelease(f"{where}: “content”: {refused.message.rstrip('.')}") from refused
    if act["do"] == "send" and (missing := missing_of(draft.content, drafting)):
        raise BadRelease(f"{where}: the draft was not ready to be sent: {missing.rstrip('.')}")
    if act["do"] == "back" and not act["word"].strip():
        raise BadRelease(f"{where}: “word” must say to the author what to change")
    if act["do"] in (Kind.ANSWER, Kind.NUGGET):
        task = questions_in(draft.content, drafting)[act["part"]]
        if act["do"] not in find_kinds(campaign, task):
            raise BadRelease(f"{where}: a question of the type {task} has no {act['do']}s")
        if not act["text"] or (act["do"] == Kind.NUGGET and not act["quote"]):
            raise BadRelease(f"{where}: an answer needs its “text”, and a nugget its “quote”, too")


class _Desk:
    """Stores acts in order. Rows of drafts are stored in blocks, and finds that were carried are stored as an
    activity.
    """

    def __init__(self, actor: User, campaign: Campaign, people: Mapping[str, User]) -> None:
        self.actor, self.campaign, self.people = actor, campaign, people
        self.drafts: dict[int, TopicDraft] = {}
        self.rows: list[DraftStep | DraftFind] = []

    def add(self, where: str, act: Act, said: FollowedDraft, before: Act | None) -> None:
        """Add one act. ``before`` is the earlier find with the act's number, or None."""
        author = self.people[said.author]
        if said.number not in self.drafts:
            self.drafts[said.number] = TopicDraft.objects.create(
                campaign=self.campaign, number=said.number, author=author
            )
        if len(self.rows) >= BLOCK:
            self.flush()
        draft, do = self.drafts[said.number], act["do"]
        if do == "carry":
            self._carry(where, act, said)
        elif do in Action.values:
            by = self.actor if do in (Action.BACK, Action.ACCEPT) else author
            words = {"word": act.get("word", ""), "estimate": act.get("estimate")}
            content = content_values(said.content)
            self.rows.append(DraftStep(draft=draft, actor=by, action=do, content=content, client_key=uuid4(), **words))
        else:
            found = before if do == "withdraw" and before is not None else act
            self.rows.append(
                DraftFind(
                    draft=draft,
                    actor=author,
                    number=act["find"],
                    kind=found["do"],
                    is_withdrawn=do == "withdraw",
                    grade=int(found["relevant"]) if "relevant" in found else None,
                    client_key=uuid4(),
                    **{name: found[name] for name in ("part", "text", "docno", "quote", "span") if name in found},
                )
            )

    def flush(self) -> None:
        """Store the waiting rows, numbered in their order."""
        if not self.rows:
            return
        with transaction.atomic():
            number_rows(self.rows)
            require_open_now(self.campaign)
            DraftStep.objects.bulk_create([row for row in self.rows if isinstance(row, DraftStep)])
            DraftFind.objects.bulk_create([row for row in self.rows if isinstance(row, DraftFind)])
        self.rows = []

    def _carry(self, where: str, act: Act, said: FollowedDraft) -> None:
        work = self.campaign.assignments.filter(
            topic__number=act["topic"], stage=act["stage"], role=Assignment.Role.PRIMARY
        )
        assignment = work.order_by("pk").first()  # any assessor's will do: finds belong to the topic
        if assignment is None:
            raise BadRelease(f"{where}: nobody has work in the stage {act['stage'][:40]} of this topic")
        self.flush()
        finds = {str(find): place for find, place in act["finds"]}
        data = {name: act[name] for name in ("topic", "stage", "left", "draft")}
        data |= {"carried": len(finds), "finds": finds}
        with transaction.atomic():
            record_activity(actor=self.actor, action="draft.carry", campaign=self.campaign, about=assignment, data=data)
