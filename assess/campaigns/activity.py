"""The activity ledger, in which every write of the domain is recorded. Frozen campaigns refuse recorded changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.db.models import Model
from django.db.transaction import TransactionManagementError
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from assess.base.errors import Conflict, Invalid
from assess.base.numbers import grouped
from assess.base.process import REQUEST_ID, TOKEN
from assess.campaigns.models import Activity, Campaign
from assess.ledger.models import number_rows

# What frozen and released campaigns refuse, even if a write and a freeze happen at the same moment.
#
# docs/decisions/0006 says how this is ensured.


def require_open_now(campaign: Campaign) -> None:
    """Raise `Conflict` if the campaign is frozen or released by now, even if ``campaign`` was read before that. One
    query.

    If the transaction holds the campaign's ledger point or its row, the campaign stays open until the transaction ends.
    """
    state = Campaign.objects.values_list("state", flat=True).get(pk=campaign.pk)
    if state in Campaign.CLOSED:
        raise Conflict(
            gettext("The campaign is %(label)s; nothing in it can be changed.") % {"label": Campaign.State(state).label}
        )


def lock_open(campaign: Campaign) -> Campaign:
    """Lock the campaign's row until the transaction ends, and return its current state.

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

ACTIONS: dict[str, Promise] = {
    "campaign.create": gettext_lazy("created the campaign"),
    "campaign.copy": gettext_lazy("copied it from another campaign"),
    "campaign.settings": gettext_lazy("changed the settings"),
    "campaign.design": gettext_lazy("changed the design"),
    "campaign.state": gettext_lazy("changed the state"),
    "campaign.freeze": gettext_lazy("froze the campaign"),
    "judging.stop": gettext_lazy("stopped judging"),
    "judging.resume": gettext_lazy("opened work again that had been stopped"),
    "campaign.unfreeze": gettext_lazy("opened the frozen campaign again"),
    "release.make": gettext_lazy("made a release"),
    "release.publish": gettext_lazy("published a release"),
    "release.public": gettext_lazy("changed whether a release has a public page"),
    "release.import": gettext_lazy("made the campaign from a release"),
    "campaign.deadline": gettext_lazy("changed the deadline for runs"),
    "agreement.publish": gettext_lazy("changed the user agreement"),
    "agreement.accept": gettext_lazy("accepted the user agreement for a team"),
    "campaign.release_dates": gettext_lazy("changed when participants see topics, lists and documents"),
    "campaign.time_zone": gettext_lazy("changed the time zone"),
    "guideline.publish": gettext_lazy("published guidelines"),
    "member.add": gettext_lazy("added a member"),
    "member.remove": gettext_lazy("removed a member"),
    "member.team": gettext_lazy("changed the team of a participant"),
    "member.takes_work": gettext_lazy("noted whether somebody takes more work"),
    "member.name": gettext_lazy("changed the name of an account"),
    "member.erase": gettext_lazy("erased who somebody is"),
    "member.password_link": gettext_lazy("made a link for a new password"),
    "member.password": gettext_lazy("set a new password by a link"),
    "invitation.create": gettext_lazy("made an invitation"),
    "invitation.list": gettext_lazy("invited the people of a list"),
    "invitation.accept": gettext_lazy("accepted an invitation"),
    "invitation.withdraw": gettext_lazy("withdrew an invitation"),
    "topics.load": gettext_lazy("loaded topics"),
    "topics.amend": gettext_lazy("amended a topic"),
    "topics.drop": gettext_lazy("dropped a topic"),
    "topics.restore": gettext_lazy("restored a dropped topic"),
    "topics.remove": gettext_lazy("removed a topic"),
    "draft.begin": gettext_lazy("began to draft a topic"),
    "draft.send": gettext_lazy("sent a draft of a topic"),
    "draft.back": gettext_lazy("sent a draft of a topic back"),
    "draft.accept": gettext_lazy("accepted a draft of a topic"),
    "draft.drop": gettext_lazy("dropped a draft of a topic"),
    "draft.carry": gettext_lazy("took what was found for a topic into its judging"),
    "documents.load": gettext_lazy("loaded documents"),
    "documents.copy": gettext_lazy("copied the documents of another campaign"),
    "documents.cluster": gettext_lazy("looked for near-identical documents"),
    "documents.prepare": gettext_lazy("had pages of documents prepared again"),
    "documents.take_out": gettext_lazy("took documents out again"),
    "documents.withhold": gettext_lazy("took the texts of documents out for good"),
    "document_list.load": gettext_lazy("loaded a document list"),
    "translations.load": gettext_lazy("loaded translations of documents"),
    "translations.take_out": gettext_lazy("took translations of documents out"),
    "docnos.load": gettext_lazy("loaded the list of valid docnos"),
    "docnos.empty": gettext_lazy("emptied the list of valid docnos"),
    "run.receive": gettext_lazy("sent in a run to be checked"),
    "run.accept": gettext_lazy("submitted a run"),
    "run.reject": gettext_lazy("submitted a run that the checker rejected"),
    "run.withdraw": gettext_lazy("withdrew a run"),
    "pool.build": gettext_lazy("built a pool"),
    "pool.extend": gettext_lazy("went on in a pool that grows"),
    "assignment.create": gettext_lazy("handed out work"),
    "assignment.open": gettext_lazy("opened an assignment"),
    "assignment.done": gettext_lazy("finished an assignment"),
    "assignment.reopen": gettext_lazy("took up a finished assignment again"),
    "assignment.grow": gettext_lazy("added to work that was done, so it is open again"),
    "assignment.shrink": gettext_lazy("left nothing to do in work that had been opened again, so it is done"),
    "assignment.return": gettext_lazy("gave work back"),
    "assignment.lapse": gettext_lazy("left work for so long that it went back by itself"),
    "assignment.resume": gettext_lazy("took up work again that had gone back by itself"),
    "assignment.hand_over": gettext_lazy("handed work over to another assessor"),
    "campaign.work_rules": gettext_lazy("changed how work is handed out"),
    "work.double": gettext_lazy("handed out a sample of the topics to a second assessor"),
    "practice.answer": gettext_lazy("answered an item of a practice round"),
    "practice.again": gettext_lazy("let somebody practise again"),
    "plants.make": gettext_lazy("added repeats and gold items"),
    "plants.remove": gettext_lazy("took control items away"),
    "help.ask": gettext_lazy("asked the organiser"),
    "help.answer": gettext_lazy("answered a question"),
    "item.add": gettext_lazy("added an item that was not in the pool"),
    "picks.none": gettext_lazy("said that none of the items fits"),
    "machine.add": gettext_lazy("added a machine judge"),
    "machine.bring": gettext_lazy("brought answers that are suggested"),
    "machine.import": gettext_lazy("imported a machine judge's labels"),
    "campaign.drafts": gettext_lazy("changed when machine judgments are shown"),
    "judgments.import": gettext_lazy("imported recorded judgments"),
    "list.freeze": gettext_lazy("froze a nugget list"),
    "list.revise": gettext_lazy("began a new version of a nugget list"),
    "export.write": gettext_lazy("exported files"),
    "report.write": gettext_lazy("wrote a score report"),
    "webhook.add": gettext_lazy("added a webhook"),
    "webhook.remove": gettext_lazy("removed a webhook"),
    "webhook.ping": gettext_lazy("sent a ping to a webhook"),
    "webhook.again": gettext_lazy("sent a call of a webhook again"),
    "password.change": gettext_lazy("changed their password"),
    "password.reset": gettext_lazy("set a new password by a link sent by mail"),
    "login": gettext_lazy("logged in"),
    "mail.want": gettext_lazy("chose which notices come by mail"),
    "backup.make": gettext_lazy("asked for a backup of the site"),
    "backup.take": gettext_lazy("downloaded a backup of the site"),
    "backup.remove": gettext_lazy("removed a backup of the site"),
    "token.create": gettext_lazy("made an API token"),
    "token.revoke": gettext_lazy("revoked an API token"),
    "token.use": gettext_lazy("used an API token"),
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
    "documents.withhold",
    "campaign.time_zone",
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

    Every action that changes a frozen campaign is refused (`Conflict`), whatever ``campaign`` says of its state: the
    state is read once this row has its place in the order of the ledgers (docs/decisions/0006). So no write can be
    forgotten, and none that began before a freeze is committed after it; what it wrote before is rolled back with its
    transaction. Raises `Invalid` for an action that is not registered, and TransactionManagementError with a campaign
    outside of any transaction. Costs three short queries.
    """
    activity = _activity(actor, action, campaign, about, data)
    number_rows([activity])
    if campaign is not None and not action.startswith(WHILE_CLOSED):
        require_open_now(campaign)
    activity.save()
    return activity


def record_activities(
    *, campaign: Campaign, acts: Sequence[tuple[AbstractBaseUser | None, str, Model, dict[str, Any]]]
) -> None:
    """Add several activities in this order, each with its actor, its action, what it is about, and its data.

    Raises `Conflict` in a closed campaign, whatever the actions are, and `Invalid` for an action that is not
    registered. Must be called in a transaction. Costs three short queries and the rows; none without ``acts``.
    """
    if not acts:
        return
    rows = [_activity(actor, action, campaign, about, data) for actor, action, about, data in acts]
    number_rows(rows)
    require_open_now(campaign)
    Activity.objects.bulk_create(rows, batch_size=500)


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


REASON_LIMIT = 2_000
"""The most characters of a reason that an activity records."""


def checked_reason(reason: str, missing: str = "", *, field: str = "") -> str:
    """Return the reason for a change, as its activity records it: without NUL, and without blanks around it.

    Raises `Invalid`, which names the ``field``, for one that is too long and, with the sentence ``missing``, for an
    empty one.
    """
    reason = reason.replace("\0", "").strip()
    if len(reason) > REASON_LIMIT:
        said = gettext("The reason has %(reason)s characters; %(reason_limit)s are allowed. Say it in fewer.")
        raise Invalid(said % {"reason": grouped(len(reason)), "reason_limit": grouped(REASON_LIMIT)}, field=field)
    if missing and not reason:
        raise Invalid(missing, field=field)
    return reason


def set_state_within(campaign: Campaign, state: str) -> None:
    """Give a campaign a state within a transaction that has locked its assignments; the caller restores the old one."""
    Campaign.objects.filter(pk=campaign.pk).update(state=state)
    campaign.state = state
