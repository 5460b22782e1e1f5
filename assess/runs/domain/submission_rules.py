"""Who may submit, replace and withdraw runs, until when, and how many: one rule for page, API, command and worker."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext

from assess.base.errors import Conflict, NotAllowed
from assess.campaigns.dates import deadline_words, is_out, is_past_due, release_words, span_words
from assess.campaigns.models import Campaign, Part, Role
from assess.campaigns.track_texts import in_language
from assess.protocol import RunForm, Submission
from assess.runs.models import Run
from assess.user_agreements.queries import AGREEMENT_FIRST, waits_for_agreement


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """Whether runs are accepted now, and a sentence on the deadline."""

    is_open: bool
    sentence: str


def run_window(*, campaign: Campaign, is_organiser: bool, now: datetime | None = None) -> Window:
    """Return whether an organiser or a participant may submit, replace and withdraw runs now.

    Participants may during set-up, after the topics are released and before the deadline, if the campaign has these
    dates. Organisers may until the campaign is frozen.
    """
    moment = now or timezone.now()
    due, state = deadline_words(campaign), campaign.get_state_display()
    if campaign.is_closed:
        sentence = gettext("The campaign is %(state)s; its runs can't be changed any more.") % {"state": state}
        return Window(is_open=False, sentence=sentence)
    if is_organiser:
        return Window(is_open=True, sentence=_for_organisers(campaign, due, moment))
    if campaign.state != Campaign.State.SETUP:
        sentence = gettext(
            "Judging has begun, so runs can't be submitted or withdrawn any more. Write to the organiser."
        )
        return Window(is_open=False, sentence=sentence)
    if not is_out(campaign, Part.TOPICS, moment):
        sentence = gettext("Runs are taken once the topics are released, on %(release_words)s.") % {
            "release_words": release_words(campaign, Part.TOPICS)
        }
        return Window(is_open=False, sentence=sentence)
    if campaign.runs_due is None:
        sentence = gettext("Runs can be submitted, replaced and withdrawn until judging begins.")
        return Window(is_open=True, sentence=sentence)
    span = span_words(campaign.runs_due - moment)
    if is_past_due(campaign, moment):
        sentence = gettext(
            "Runs were due by %(due)s, %(span)s ago, so they can't be submitted or withdrawn any more. Write to the "
            "organiser."
        ) % {"due": due, "span": span}
        return Window(is_open=False, sentence=sentence)
    return Window(
        is_open=True,
        sentence=gettext("Runs are due by %(due)s: %(span)s left. Until then they can be replaced and withdrawn.")
        % {"due": due, "span": span},
    )


def _for_organisers(campaign: Campaign, due: str, moment: datetime) -> str:
    you = gettext("You may add runs until the campaign is frozen.")
    if campaign.state != Campaign.State.SETUP:
        return gettext("Judging has begun, so participants can't submit any more. %(you)s") % {"you": you}
    if campaign.runs_due is None:
        return gettext("There is no deadline: participants submit until judging begins. %(you)s") % {"you": you}
    span = span_words(campaign.runs_due - moment)
    if is_past_due(campaign, moment):
        return gettext("Participants' runs were due by %(due)s, %(span)s ago. %(you)s") % {
            "due": due,
            "span": span,
            "you": you,
        }
    return gettext("Participants' runs are due by %(due)s: %(span)s left. %(you)s") % {
        "due": due,
        "span": span,
        "you": you,
    }


def deadline_effect(campaign: Campaign) -> str:
    """Return a sentence for organisers on the effect of the deadline in the campaign's state; "" during set-up."""
    if campaign.state == Campaign.State.SETUP:
        return ""
    if campaign.state == Campaign.State.JUDGING:
        return gettext(
            "It changes nothing now: judging has begun, and participants submit only before that. You may add runs "
            "for them until the campaign is frozen, or go back to setting up on the overview "
            "(Change state)."
        )
    return gettext("It changes nothing now: the campaign is closed, and takes no runs.")


def require_may_submit(*, actor: User, campaign: Campaign, team: str, submission: Submission | None = None) -> None:
    """Refuse a person who may not submit or withdraw runs of this team now.

    `Conflict` says that it is too early or too late. `NotAllowed` says that the person is neither in the team nor an
    organiser, that only organisers submit runs of this kind, or that the team has not accepted the user agreement.
    """
    is_organiser = is_organiser_of(actor, campaign)
    window = run_window(campaign=campaign, is_organiser=is_organiser)
    if campaign.is_closed:
        raise Conflict(window.sentence)
    require_team(actor=actor, campaign=campaign, team=team)
    if is_organiser:
        return
    if submission is not None and submission.for_organisers:
        raise NotAllowed(
            gettext("Only organisers add what is called “%(submission)s”. Submit your run as another kind.")
            % {"submission": in_language(submission.label)}
        )
    if not window.is_open:
        raise Conflict(window.sentence)
    if waits_for_agreement(campaign, Part.TOPICS, [team]):
        raise NotAllowed(AGREEMENT_FIRST.format(part=Part.TOPICS.label), code="user-agreement")


def require_window(*, actor: User, campaign: Campaign) -> None:
    """Refuse a person whose runs are not accepted now, whatever their team, before anything of a file is stored."""
    window = run_window(campaign=campaign, is_organiser=is_organiser_of(actor, campaign))
    if not window.is_open:
        raise Conflict(window.sentence)


def require_team(*, actor: User, campaign: Campaign, team: str) -> None:
    """Refuse a person who is neither in the team nor an organiser."""
    of_team = campaign.memberships.filter(user=actor, role=Role.PARTICIPANT, team=team)
    if not is_organiser_of(actor, campaign) and not of_team.exists():
        if not campaign.memberships.filter(user=actor).exists():
            raise NotAllowed(gettext("%(actor)s is no member of this campaign.") % {"actor": actor})
        raise NotAllowed(gettext("You can submit and withdraw runs of your own team only."))


def is_organiser_of(person: User, campaign: Campaign) -> bool:
    """Return whether the person organises the campaign. Superusers organise every campaign."""
    return person.is_superuser or campaign.memberships.filter(user=person, role=Role.ORGANISER).exists()


def require_open(campaign: Campaign) -> None:
    """Refuse to accept a run after the campaign is frozen, even if it was submitted in time."""
    if campaign.is_closed:
        raise Conflict(run_window(campaign=campaign, is_organiser=True).sentence)


def require_room(*, campaign: Campaign, form: RunForm, submission: Submission) -> None:
    """Refuse a run if another team's run with its tag is being checked, since the earlier run has the tag.

    Also refuses what `require_place` refuses.
    """
    checking = campaign.runs.filter(state=Run.State.CHECKING, tag=form.tag)
    if checking.exclude(team=form.team).exists():
        raise Conflict(
            gettext(
                "The tag %(tag)s is taken by a run that is being checked. Choose another; if the file names it, "
                "change it there."
            )
            % {"tag": form.tag}
        )
    require_place(campaign=campaign, form=form, submission=submission)


def require_place(*, campaign: Campaign, form: RunForm, submission: Submission) -> Run | None:
    """Return the accepted run with the same tag, which the new one would replace, or None.

    Refuse a tag of another team, a priority that the team has used for another run, and more runs than the team may
    have.
    """
    accepted = campaign.runs.filter(state=Run.State.ACCEPTED)
    earlier = accepted.filter(tag=form.tag).first()
    if earlier is not None and earlier.team != form.team:
        raise Conflict(
            gettext("The tag %(tag)s is taken. Choose another; if the file names it, change it there.")
            % {"tag": form.tag}
        )
    if submission.runs_a_team:
        others = accepted.filter(team=form.team, submission=submission.key).exclude(tag=form.tag)
        if (count := others.count()) >= submission.runs_a_team:
            tags = ", ".join(others.values_list("tag", flat=True)[:10])
            raise Conflict(
                gettext(
                    "%(team)s has %(count)s accepted runs (%(tags)s); a team may have %(runs_a_team)s. Withdraw one "
                    "of them first."
                )
                % {"team": form.team, "count": count, "tags": tags, "runs_a_team": submission.runs_a_team}
            )
    if form.priority is not None:
        same = accepted.filter(team=form.team, submission=submission.key, priority=form.priority)
        other = same.exclude(tag=form.tag).first()
        if other is not None:
            raise Conflict(
                gettext(
                    "%(team)s has given priority %(priority)s to %(tag)s. Withdraw that run first, or choose another "
                    "priority."
                )
                % {"team": form.team, "priority": form.priority, "tag": other.tag}
            )
    return earlier
