"""Making campaigns, their settings, states and guidelines; members and invitations."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from assess.base.errors import Conflict, Invalid, NotFound
from assess.campaigns.domain import create_campaign, publish_guideline
from assess.models import Activity, Campaign, Invitation
from assess.organising.domain import change_settings, change_state
from assess.people.domain.invitations import accept_invitation, create_invitation, find_invitation, withdraw_invitation
from assess.people.domain.members import add_member, remove_member
from tests import factories

pytestmark = pytest.mark.django_db


def make(organiser: User, slug: str = "tac-2008", track: str = "tac2008-qa", **more: object) -> Campaign:
    return create_campaign(actor=organiser, slug=slug, title="TAC 2008", track=track, **more)  # type: ignore[arg-type]


def test_its_maker_organises_it_and_it_has_guidelines(organiser: User) -> None:
    campaign = make(organiser)
    assert [(seat.user, seat.role) for seat in campaign.memberships.all()] == [(organiser, "organiser")]
    assert [guideline.version for guideline in campaign.guidelines.all()] == [1]
    assert campaign.settings["beta"] == 3.0


@pytest.mark.parametrize("slug", ["", "With Space", "-x", "ü", "a" * 51, "x\n"])
def test_a_bad_short_name_is_refused(organiser: User, slug: str) -> None:
    with pytest.raises(Invalid):
        make(organiser, slug=slug)
    assert Campaign.objects.count() == 0


def test_a_taken_short_name_and_an_unknown_track_are_refused(organiser: User) -> None:
    make(organiser)
    with pytest.raises(Conflict, match="already"):
        make(organiser)
    with pytest.raises(Invalid, match="Known tracks"):
        make(organiser, slug="other", track="nothing")


@pytest.mark.parametrize("values", [{"beta": -1}, {"beta": "much"}, {"nothing": 1}, {"judged_priorities": [9]}])
def test_bad_settings_are_refused_and_the_old_ones_stay(campaign: Campaign, organiser: User, values: dict) -> None:  # type: ignore[type-arg]
    before = campaign.settings
    with pytest.raises(Invalid, match="can't be used"):
        change_settings(actor=organiser, campaign=campaign, values=values)
    campaign.refresh_from_db()
    assert campaign.settings == before


def test_changed_settings_are_kept_and_recorded(campaign: Campaign, organiser: User) -> None:
    change_settings(actor=organiser, campaign=campaign, values={"beta": 5})
    campaign.refresh_from_db()
    assert campaign.settings["beta"] == 5
    assert Activity.objects.get(action="campaign.settings").data["beta"][1] == 5


def test_states_move_one_step_at_a_time(campaign: Campaign, organiser: User) -> None:
    with pytest.raises(Conflict):
        change_state(actor=organiser, campaign=campaign, state="released")
    change_state(actor=organiser, campaign=campaign, state="frozen")
    with pytest.raises(Conflict, match="nothing in it can be changed"):
        change_settings(actor=organiser, campaign=campaign, values={"beta": 1})


def test_the_same_guidelines_are_not_published_twice(campaign: Campaign, organiser: User) -> None:
    publish_guideline(actor=organiser, campaign=campaign, text="Judge with more care.")
    assert publish_guideline(actor=organiser, campaign=campaign, text="Judge with more care.").version == 2
    assert campaign.guidelines.count() == 2


def test_an_invitation_works_once(campaign: Campaign, organiser: User, stranger: User) -> None:
    invitation, token = create_invitation(actor=organiser, campaign=campaign, role="assessor")
    assert token not in str(Invitation.objects.values())
    accept_invitation(actor=stranger, token=token)
    assert campaign.memberships.get(user=stranger).role == "assessor"
    with pytest.raises(NotFound):
        accept_invitation(actor=stranger, token=token)
    with pytest.raises(Conflict):
        withdraw_invitation(actor=organiser, invitation=Invitation.objects.get(pk=invitation.pk))


def test_an_invitation_runs_out(campaign: Campaign, organiser: User) -> None:
    invitation, token = create_invitation(actor=organiser, campaign=campaign, role="assessor")
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(NotFound):
        find_invitation(token)


def test_a_participant_has_a_team_and_nobody_else(campaign: Campaign, organiser: User, stranger: User) -> None:
    with pytest.raises(Invalid):
        add_member(actor=organiser, campaign=campaign, user=stranger, role="participant")
    with pytest.raises(Invalid):
        add_member(actor=organiser, campaign=campaign, user=stranger, role="assessor", team="Harbor")


def test_the_last_organiser_and_busy_assessors_stay(
    campaign: Campaign, organiser: User, assessor: User, grading: object
) -> None:
    with pytest.raises(Conflict, match="last organiser"):
        remove_member(actor=organiser, campaign=campaign, user=organiser, role="organiser")
    with pytest.raises(Conflict, match="1 assignment"):
        remove_member(actor=organiser, campaign=campaign, user=assessor, role="assessor")
    other = factories.member(campaign, "other", "assessor")
    remove_member(actor=organiser, campaign=campaign, user=other, role="assessor")
    assert not campaign.memberships.filter(user=other).exists()
