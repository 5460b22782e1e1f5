"""The only way from a person to an object. Absent and forbidden look the same: `NotFound`.

Each function takes the person first and returns the object with its campaign loaded, or raises. A view,
an API call and a command all begin here; a view that filters a model itself is a defect.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.utils import timezone

from assess.domain.errors import Conflict, NotAllowed, NotFound, UnknownItem
from assess.domain.work.leases import Lapsed
from assess.models import (
    JUDGES,
    Assignment,
    Campaign,
    Document,
    HelpRequest,
    Invitation,
    Item,
    Membership,
    Part,
    Pool,
    Release,
    Role,
    Run,
    Topic,
    TopicDraft,
    Work,
)
from assess.protocol import TopicFile
from assess.queries.campaigns.openings import is_out, release_words
from assess.queries.campaigns.user_agreements import AGREEMENT_FIRST, waits_for_agreement
from assess.queries.exports.score_release import released_point, scores_are_out
from assess.queries.topics.files import topic_files
from assess.queries.tracks import registered_tracks
from assess.queries.work.handles import item_of
from assess.queries.work.plants import is_planted

Person = User | AnonymousUser

NOT_RELEASED, NEEDS_AGREEMENT = "not-released", "user-agreement"

SETTLERS = (Role.ADJUDICATOR, Role.ORGANISER)
"""The roles of those who settle disagreements."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A person's place in a campaign: the campaign, and every role they have in it."""

    campaign: Campaign
    user: User
    roles: frozenset[str]
    teams: frozenset[str]

    @property
    def is_organiser(self) -> bool:
        """Whether they organise it."""
        return Role.ORGANISER in self.roles

    @property
    def is_judge(self) -> bool:
        """Whether they judge in it, as assessor or adjudicator."""
        return bool(self.roles & set(JUDGES))

    @property
    def is_adjudicator(self) -> bool:
        """Whether they settle disagreements as adjudicator."""
        return Role.ADJUDICATOR in self.roles

    @property
    def is_participant(self) -> bool:
        """Whether they take part with runs."""
        return Role.PARTICIPANT in self.roles


def access_campaigns(person: Person) -> QuerySet[Campaign]:
    """The campaigns that this person belongs to (all, for a superuser)."""
    if not person.is_authenticated:
        return Campaign.objects.none()
    if person.is_superuser:
        return Campaign.objects.all()
    return Campaign.objects.filter(pk__in=Membership.objects.filter(user=person).values("campaign"))


def access_seat(person: Person, slug: str, *roles: str) -> Seat:
    """The person's seat in the campaign with this slug; with ``roles``, only if they have one of them.

    A superuser sits as organiser everywhere. Everybody else gets `NotFound` where they have no such seat. A campaign
    whose track is not installed is refused to all (`Conflict`), since nothing of it can be shown.
    """
    if not person.is_authenticated:
        raise NotFound
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        raise NotFound
    memberships = list(Membership.objects.filter(campaign=campaign, user=person))
    held = {membership.role for membership in memberships}
    if person.is_superuser:
        held.add(Role.ORGANISER)
    if not held or (roles and not held & set(roles)):
        raise NotFound
    require_known_track(campaign)
    teams = frozenset(membership.team for membership in memberships if membership.team)
    return Seat(campaign, person, frozenset(held), teams)


def require_known_track(campaign: Campaign) -> None:
    """Refuse a campaign of a track that this site does not know (any more)."""
    if campaign.track not in registered_tracks():
        raise Conflict(
            f"{campaign.title} follows the rules of the track “{campaign.track}”, which this site does not know any "
            "more. Nothing of it is lost. Whoever runs the site can add the track again (the setting ASSAY_TRACKS)."
        )


def access_campaign_making(person: Person) -> None:
    """Refuse who may not make campaigns: staff accounts and superusers may."""
    if not (person.is_staff or person.is_superuser):
        raise NotFound


def access_as_organiser(person: Person, slug: str) -> Seat:
    """The seat of an organiser of this campaign."""
    return access_seat(person, slug, Role.ORGANISER)


def is_open_to(seat: Seat, part: Part, now: datetime | None = None) -> bool:
    """Whether this person may see a part of what participants are given: whoever takes part waits for its date.

    Organisers see all of it, and those who judge and take part with no run what their work needs. What is behind the
    user agreement opens once their team has accepted it: two queries then, else none.
    """
    if seat.is_organiser or not seat.is_participant:
        return True
    return is_out(seat.campaign, part, now or timezone.now()) and not waits_for_agreement(
        seat.campaign, part, seat.teams
    )


def require_open_to(seat: Seat, part: Part) -> None:
    """Refuse who may not see this part yet: before its date (code `not-released`), or before their team has accepted
    the user agreement (`user-agreement`).
    """
    if is_open_to(seat, part):
        return
    if not is_out(seat.campaign, part, timezone.now()):
        raise NotAllowed(
            f"The {part.label} of this campaign will be released on {release_words(seat.campaign, part)}. "
            "Come back then.",
            code=NOT_RELEASED,
        )
    raise NotAllowed(AGREEMENT_FIRST.format(part=part.label), code=NEEDS_AGREEMENT)


def access_topics(seat: Seat) -> QuerySet[Topic]:
    """The topics of the campaign: no secret among its members, once they are released to participants."""
    require_open_to(seat, Part.TOPICS)
    return seat.campaign.topics.all()


def access_topic(seat: Seat, number: str) -> Topic:
    """A topic of the campaign, as `access_topics` has them."""
    topic = access_topics(seat).filter(number=number.replace("\0", "")).select_related("parent").first()
    if topic is None:
        raise NotFound
    return topic


def access_topic_file(seat: Seat, key: str) -> TopicFile:
    """The kind of topic file that organisers and participants may take, by its key in the track."""
    if not seat.is_organiser and not seat.is_participant:
        raise NotFound
    require_open_to(seat, Part.TOPICS)
    found = next((each for each in topic_files(seat.campaign) if each.key == key), None)
    if found is None:
        raise NotFound
    return found


def access_drafts(seat: Seat) -> QuerySet[TopicDraft]:
    """The drafts of topics that this person may see: all for organisers, who decide on them; their own for authors."""
    drafts = seat.campaign.topic_drafts.select_related("author", "topic").order_by("number")
    return drafts if seat.is_organiser else access_own_drafts(seat)


def access_own_drafts(seat: Seat) -> QuerySet[TopicDraft]:
    """The drafts that this person makes."""
    drafts = seat.campaign.topic_drafts.select_related("author", "topic").order_by("number")
    return drafts.filter(author=seat.user) if seat.is_judge else drafts.none()


def access_draft(seat: Seat, number: int) -> TopicDraft:
    """A draft of a topic: any for organisers, their own for authors."""
    return _draft(seat, access_drafts(seat), number)


def access_own_draft(seat: Seat, number: int) -> TopicDraft:
    """A draft of a topic for its author to work on. Nobody else works on it, organisers included."""
    return _draft(seat, access_own_drafts(seat), number)


def _draft(seat: Seat, drafts: QuerySet[TopicDraft], number: int) -> TopicDraft:
    draft = drafts.filter(number=number).first() if number < 2**31 else None
    if draft is None:
        raise NotFound
    draft.campaign = seat.campaign
    return draft


def access_documents(seat: Seat) -> QuerySet[Document]:
    """The documents that this person may read: organisers and those who judge read all of them."""
    if seat.is_organiser or seat.is_judge:
        return seat.campaign.documents.all()
    return Document.objects.none()


def access_document(seat: Seat, docno: str) -> Document:
    """One document by docno."""
    document = access_documents(seat).filter(docno=docno.replace("\0", "")).first()
    if document is None:
        raise NotFound
    return document


def access_runs(seat: Seat) -> QuerySet[Run]:
    """The runs that this person may see: all for organisers, their team's for participants, else none.

    An organiser who also holds a live assignment still judges blind on the workbench; this is about lists.
    """
    if seat.is_organiser:
        return seat.campaign.runs.all()
    if seat.is_participant:
        return seat.campaign.runs.filter(team__in=seat.teams)
    return Run.objects.none()


def access_run(seat: Seat, run_id: int) -> Run:
    """One run by id."""
    run = access_runs(seat).filter(pk=run_id).first()
    if run is None:
        raise NotFound
    return run


def access_scores_point(seat: Seat, as_of: int | None = None) -> int | None:
    """The ledger point as of which this person may see scores: any for organisers, the release's for participants.

    Participants see none before the release.
    """
    if seat.is_organiser:
        return as_of
    if not seat.is_participant or not scores_are_out(seat.campaign):
        raise NotFound
    return released_point(seat.campaign)


def access_scored_run(seat: Seat, tag: str) -> None:
    """Refuse a run whose scores this person may not see: organisers see all, participants their team's."""
    if not seat.is_organiser and not access_runs(seat).filter(tag=tag, state=Run.State.ACCEPTED).exists():
        raise NotFound


def access_report_team(seat: Seat, team: str = "") -> str:
    """Whose score report this person asks for: any team's for organisers, their own for participants; "" the first."""
    runs = seat.campaign.runs.filter(state=Run.State.ACCEPTED).exclude(team="")
    teams = runs if seat.is_organiser else runs.filter(team__in=seat.teams)
    found = teams.order_by("team").values_list("team", flat=True)
    name = (found.filter(team=team) if team else found).first()
    if name is None:
        raise NotFound
    return name


def access_pool(seat: Seat, pool_id: int) -> Pool:
    """One pool, for organisers."""
    pool = seat.campaign.pools.filter(pk=pool_id).first() if seat.is_organiser else None
    if pool is None:
        raise NotFound
    return pool


def access_assignments(seat: Seat) -> QuerySet[Assignment]:
    """The assignments that this person may see: their own, and all for organisers."""
    assignments = seat.campaign.assignments.select_related("topic", "topic__parent", "assessor")
    if seat.is_organiser:
        return assignments
    return assignments.filter(assessor=seat.user).exclude(state=Assignment.State.RETURNED)


def access_assignment(seat: Seat, assignment_id: int) -> Assignment:
    """One assignment for its own assessor to work on. Nobody else works on it, organisers included.

    Work that went back by itself is refused (`Lapsed`), with the way to take it up again.
    """
    assignment = _own_assignment(seat, assignment_id)
    if assignment.has_lapsed:
        raise Lapsed(assignment)
    return assignment


def access_lapsed_assignment(seat: Seat, assignment_id: int) -> Assignment:
    """One assignment of the person's own that is live, or went back by itself."""
    return _own_assignment(seat, assignment_id)


def _own_assignment(seat: Seat, assignment_id: int) -> Assignment:
    own = seat.campaign.assignments.select_related("topic", "topic__parent", "assessor")
    assignment = own.filter(pk=assignment_id, assessor=seat.user).first()
    if assignment is None or not seat.is_judge:
        raise NotFound
    if assignment.state == Assignment.State.RETURNED and not assignment.has_lapsed:
        raise NotFound
    assignment.campaign = seat.campaign
    return assignment


def access_item(assignment: Assignment, item_id: int, *, kind: str = "") -> Item:
    """An item of the assignment's topic; of those planted, its own alone."""
    items = Item.objects.filter(pk=item_id, topic_id=assignment.topic_id).select_related("document")
    item = (items.filter(kind=kind) if kind else items).first()
    if item is None or (item.repeats_id is not None and not is_planted(assignment, item)):
        raise UnknownItem
    return item


def access_work_item(assignment: Assignment, handle: int) -> Item:
    """The same by the number by which the assessor of this work knows the item (`handle_of`), and by no other."""
    return access_item(assignment, item_of(assignment, handle))


def access_help_request(seat: Seat, help_id: int) -> HelpRequest:
    """A question asked: for the organisers, and for who asked it."""
    found = HelpRequest.objects.filter(pk=help_id, assignment__campaign=seat.campaign)
    if not seat.is_organiser:
        found = found.filter(assignment__assessor=seat.user)
    request = found.select_related("assignment", "assignment__topic", "item").first()
    if request is None:
        raise NotFound
    return request


def access_releases(seat: Seat) -> QuerySet[Release]:
    """The releases that this person may take: all for organisers, what is published for every other member."""
    return seat.campaign.releases.all() if seat.is_organiser else seat.campaign.releases.filter(published=True)


def access_release(seat: Seat, release_id: int) -> Release:
    """One release."""
    release = access_releases(seat).filter(pk=release_id).first()
    if release is None:
        raise NotFound
    return release


def access_work(seat: Seat, work_id: int) -> Work:
    """A long job, for organisers."""
    work = seat.campaign.works.filter(pk=work_id).first() if seat.is_organiser else None
    if work is None:
        raise NotFound
    return work


def access_invitation(seat: Seat, invitation_id: int) -> Invitation:
    """An invitation that was made, for organisers."""
    invitation = seat.campaign.invitations.filter(pk=invitation_id).first() if seat.is_organiser else None
    if invitation is None:
        raise NotFound
    return invitation
