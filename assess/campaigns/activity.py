"""The activity ledger, in which every write of the domain is recorded. Frozen campaigns refuse recorded changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.db.models import Model
from django.db.transaction import TransactionManagementError
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.base.process import REQUEST_ID, TOKEN
from assess.campaigns.models import Activity, Campaign
from assess.ledger.models import number_rows

# What frozen and released campaigns refuse, even if a write and a freeze happen at the same moment.
#
# docs/decisions/0006 says how this is ensured.


def require_open_now(campaign: Campaign) -> None:
    """Refuse if the campaign is frozen or released by now, whatever ``campaign`` says. One query.

    If the transaction holds the campaign's ledger point or its row, the campaign stays open until the transaction ends.
    """
    state = Campaign.objects.values_list("state", flat=True).get(pk=campaign.pk)
    if state in Campaign.CLOSED:
        raise Conflict(
            gettext("The campaign is %(label)s; nothing in it can be changed.") % {"label": Campaign.State(state).label}
        )


def lock_open(campaign: Campaign) -> Campaign:
    """Lock the campaign's row until the transaction ends, and return its present state.

    Raises `Conflict` once it is closed. Organisers' changes use it, so that they happen one after the other. Lock it
    before any other row.
    """
    locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    require_open_now(locked)
    return locked


def hold_work(campaign: Campaign) -> tuple[Campaign, frozenset[int]]:
    """Lock the campaign and all its assignments until the transaction ends; return it and the assignments' ids.

    Assessors lock one assignment when they write, so this waits for their writes, and new ones wait for this.
    """
    locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    assignments = locked.assignments.order_by("pk").select_for_update(no_key=True)
    return locked, frozenset(assignments.values_list("pk", flat=True))


# The activity ledger: every action has a registered name, and every write of the domain records an action.

ACTIONS: dict[str, str] = {
    "campaign.create": "created the campaign",
    "campaign.copy": "copied it from another campaign",
    "campaign.settings": "changed the settings",
    "campaign.design": "changed the design",
    "campaign.state": "changed the state",
    "campaign.freeze": "froze the campaign",
    "judging.stop": "stopped judging",
    "judging.resume": "opened work again that had been stopped",
    "campaign.unfreeze": "opened the frozen campaign again",
    "release.make": "made a release",
    "release.publish": "published a release",
    "release.import": "made the campaign from a release",
    "campaign.deadline": "changed the deadline for runs",
    "agreement.publish": "changed the user agreement",
    "agreement.accept": "accepted the user agreement for a team",
    "campaign.release_dates": "changed when participants see topics, lists and documents",
    "campaign.time_zone": "changed the time zone",
    "guideline.publish": "published guidelines",
    "member.add": "added a member",
    "member.remove": "removed a member",
    "member.team": "changed the team of a participant",
    "member.takes_work": "noted whether somebody takes more work",
    "member.name": "changed the name of an account",
    "member.erase": "erased who somebody is",
    "member.password_link": "made a link for a new password",
    "member.password": "set a new password by a link",
    "invitation.create": "made an invitation",
    "invitation.list": "invited the people of a list",
    "invitation.accept": "accepted an invitation",
    "invitation.withdraw": "withdrew an invitation",
    "topics.load": "loaded topics",
    "topics.amend": "amended a topic",
    "topics.drop": "dropped a topic",
    "topics.restore": "restored a dropped topic",
    "topics.remove": "removed a topic",
    "draft.begin": "began to draft a topic",
    "draft.send": "sent a draft of a topic",
    "draft.back": "sent a draft of a topic back",
    "draft.accept": "accepted a draft of a topic",
    "draft.drop": "dropped a draft of a topic",
    "draft.carry": "took what was found for a topic into its judging",
    "documents.load": "loaded documents",
    "documents.copy": "copied the documents of another campaign",
    "documents.cluster": "looked for near-identical documents",
    "documents.prepare": "had pages of documents prepared again",
    "documents.take_out": "took documents out again",
    "document_list.load": "loaded a document list",
    "translations.load": "loaded translations of documents",
    "translations.take_out": "took translations of documents out",
    "docnos.load": "loaded the list of valid docnos",
    "docnos.empty": "emptied the list of valid docnos",
    "run.receive": "sent in a run to be checked",
    "run.accept": "submitted a run",
    "run.reject": "submitted a run that the checker rejected",
    "run.withdraw": "withdrew a run",
    "pool.build": "built a pool",
    "pool.extend": "went on in a pool that grows",
    "assignment.create": "handed out work",
    "assignment.open": "opened an assignment",
    "assignment.done": "finished an assignment",
    "assignment.reopen": "took up a finished assignment again",
    "assignment.grow": "added to work that was done, so it is open again",
    "assignment.shrink": "left nothing to do in work that had been opened again, so it is done",
    "assignment.return": "gave work back",
    "assignment.lapse": "left work for so long that it went back by itself",
    "assignment.resume": "took up work again that had gone back by itself",
    "assignment.hand_over": "handed work over to another assessor",
    "campaign.work_rules": "changed how work is handed out",
    "work.double": "handed out a sample of the topics to a second assessor",
    "practice.answer": "answered an item of a practice round",
    "practice.again": "let somebody practise again",
    "plants.make": "added repeats and gold items",
    "plants.remove": "took control items away",
    "help.ask": "asked the organiser",
    "help.answer": "answered a question",
    "item.add": "added an item that was not in the pool",
    "picks.none": "said that none of the items fits",
    "machine.add": "added a machine judge",
    "machine.bring": "brought answers that are suggested",
    "machine.import": "imported a machine judge's labels",
    "campaign.drafts": "changed when machine judgments are shown",
    "judgments.import": "imported recorded judgments",
    "list.freeze": "froze a nugget list",
    "list.revise": "began a new version of a nugget list",
    "export.write": "exported files",
    "report.write": "wrote a score report",
    "webhook.add": "added a webhook",
    "webhook.remove": "removed a webhook",
    "password.change": "changed their password",
    "password.reset": "set a new password by a link sent by mail",
    "login": "logged in",
    "mail.want": "chose which notices come by mail",
    "token.create": "made an API token",
    "token.revoke": "revoked an API token",
    "token.use": "used an API token",
}

WHILE_CLOSED = (
    "campaign.state",
    "campaign.freeze",
    "campaign.unfreeze",
    "release.",
    "export.",
    "report.",
    "member.",
    "invitation",
    "agreement.accept",
    "documents.prepare",
    "webhook.",
)
"""Prefixes of the actions that a frozen campaign allows: about its members, its output and how it is shown."""


def record_activity(
    *,
    actor: AbstractBaseUser | None,
    action: str,
    campaign: Campaign | None = None,
    about: Model | None = None,
    data: dict[str, Any] | None = None,
) -> Activity:
    """Add one row to the activity ledger; ``action`` must be registered above.

    Every action that changes a frozen campaign is refused, whatever ``campaign`` says of its state: the state is read
    once this row has its place in the order of the ledgers (docs/decisions/0006). So no write can be forgotten, and
    none that began before a freeze is committed after it; what it wrote before is rolled back with its transaction. It
    must be called in a transaction. Costs three short queries.
    """
    activity = _activity(actor, action, campaign, about, data)
    number_rows([activity])
    if campaign is not None and not action.startswith(WHILE_CLOSED):
        require_open_now(campaign)
    activity.save()
    return activity


def record_activities(
    *, campaign: Campaign, about: Model, said: Sequence[tuple[AbstractBaseUser, str, dict[str, Any]]]
) -> None:
    """Add activities of several people on one thing, one after the other, each with its action and data.

    The rules are those of `record_activity`; the cost is that of one activity.
    """
    rows = [_activity(actor, action, campaign, about, data) for actor, action, data in said]
    number_rows(rows)
    require_open_now(campaign)
    Activity.objects.bulk_create(rows)


def _activity(
    actor: AbstractBaseUser | None,
    action: str,
    campaign: Campaign | None,
    about: Model | None,
    data: dict[str, Any] | None,
) -> Activity:
    if action not in ACTIONS:
        raise Invalid(gettext("%(action)s is not a registered action") % {"action": action})
    if campaign is not None and not connection.in_atomic_block:
        raise TransactionManagementError(f"{action} is recorded outside of the transaction of what it records.")
    return Activity(
        actor=actor,  # type: ignore[misc]
        action=action,
        campaign=campaign,
        object_type=about._meta.model_name or "" if about is not None else "",
        object_id=str(about.pk) if about is not None else "",
        data=data or {},
        request_id=REQUEST_ID.get(),
        token=TOKEN.get(),
    )


def be_for_now(campaign: Campaign, state: str) -> None:
    """Give a campaign a state within a transaction that has locked its assignments; the caller restores the old one."""
    Campaign.objects.filter(pk=campaign.pk).update(state=state)
    campaign.state = state
