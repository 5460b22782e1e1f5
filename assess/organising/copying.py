"""Make a campaign from another one: with the same evaluation, rules and people, but without any judgments."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from assess.campaigns.activity import record_activity
from assess.campaigns.designs import designs, text_of_design
from assess.campaigns.domain import create_campaign
from assess.campaigns.models import Campaign, Membership, Role
from assess.campaigns.queries import registered_tracks, settings_of, track_of
from assess.jobs.domain import enqueue_job
from assess.jobs.kinds import COPY_DOCUMENTS
from assess.people.domain.members import add_member
from assess.protocol.designs import SavedDesign

RULES = ("lease_hours", "takes_primary", "drafts", "draftless_share", "draftless_seed", "time_zone")
"""What an organiser sets apart from the track's settings. Dates are left out, since they belong to one year."""


def copy_campaign(
    *, actor: User, campaign: Campaign, slug: str, title: str, people: bool = True, documents: bool = True
) -> Campaign:
    """Make a campaign with the track (or the design in force), settings, rules and guidelines of another one.

    The newest guidelines and the design in force become its first versions. With ``people``, organisers, assessors and
    adjudicators are copied; with ``documents``, a job copies the documents. Topics, runs, pools, work, judgments,
    dates, participants and machine judges are not copied, so settings that name topics keep the track's values. The
    original may be frozen. What `create_campaign` refuses is refused.
    """
    guidelines = campaign.guidelines.first()
    with transaction.atomic():
        made = create_campaign(
            actor=actor,
            slug=slug,
            title=title,
            track="" if campaign.design else campaign.track,
            design=text_of_design(campaign.design) if campaign.design else "",
            settings=_settings(campaign),
            guidelines=guidelines.text if guidelines is not None else "",
        )
        for name in RULES:
            setattr(made, name, getattr(campaign, name))
        made.save(update_fields=RULES)
        if people:
            _add_people(actor, campaign, made)
        data = {"from": campaign.slug, "people": people, "documents": documents}
        record_activity(actor=actor, action="campaign.copy", campaign=made, about=made, data=data)
    if documents and campaign.documents.exists():
        enqueue_job(actor=actor, campaign=made, kind=COPY_DOCUMENTS, arguments={"campaign": campaign.pk})
    return made


def save_as_design(campaign: Campaign) -> SavedDesign:
    """Return the campaign as a design with its settings, and a list of what no design can express.

    An installed track keeps its key for itself, so a design of it has the campaign's short name as its key.
    """
    key = f"my-{campaign.slug}" if campaign.slug in registered_tracks() else campaign.slug
    rules = {"lease_hours": campaign.lease_hours, "drafts": campaign.drafts}
    return designs().saved(track_of(campaign), settings_of(campaign), key=key, **rules)


def _settings(campaign: Campaign) -> dict[str, object]:
    """Return the settings without those that name topics, since the copy has no topics yet."""
    track = track_of(campaign)
    of_topics = {task.topics_setting for task in track.tasks}
    of_topics |= {track.given_twice.chosen_setting} if track.given_twice is not None else set()
    return {name: value for name, value in settings_of(campaign).as_mapping().items() if name not in of_topics}


def _add_people(actor: User, campaign: Campaign, made: Campaign) -> None:
    rows = (
        campaign.memberships.filter(is_machine=False, user__is_active=True)
        .exclude(role=Role.PARTICIPANT)
        .select_related("user")
    )
    for each in rows:
        add_member(actor=actor, campaign=made, user=each.user, role=each.role)
        if not each.takes_work:
            Membership.objects.filter(campaign=made, user=each.user).update(takes_work=False)
