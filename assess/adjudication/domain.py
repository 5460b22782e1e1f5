"""Settling disagreements: the adjudicator's decision is one more row of a ledger, and the one that counts."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from assess.adjudication.queries.disagreements import criteria_of, disagreements, kind_of, stage_disagreements
from assess.adjudication.queries.listing import known_questions, settled_questions
from assess.adjudication.queries.who_may_settle import may_settle, own_topics
from assess.assignments.domain.assignments import add_assignments, new_assignment, open_assignment, reopen_assignment
from assess.assignments.domain.held_work import require_judging
from assess.assignments.models import Assignment
from assess.assignments.own_teams import require_other_teams
from assess.base.errors import UNKNOWN_ITEM, Conflict, Invalid, NotAllowed, NotFound
from assess.campaigns.activity import record_activity
from assess.campaigns.grown_work import recheck_done_work
from assess.campaigns.models import Campaign
from assess.campaigns.track_texts import in_language
from assess.judging.domain import require_notices_shown
from assess.kinds.opinions import Adjudication, Decision, Disagreement, parse_name
from assess.ledger.models import How, LedgerRow
from assess.ledger.newest import Shown, require_seen, unless_sent
from assess.protocol import Criterion, Stage
from assess.topics.models import Topic

ADJUDICATOR = Assignment.Role.ADJUDICATOR
RETURNED = Assignment.State.RETURNED
NOBODY = gettext_lazy(
    "Nobody disagrees about this (any more), so there is nothing to decide. Reload the list of disagreements."
)


def question_named(campaign: Campaign, stage: str, criterion: str) -> tuple[Stage, Criterion]:
    """Return the stage and the criterion with these keys; raise `NotFound`, which lists those that exist."""
    questions = settled_questions(campaign)
    found = next((each for each in questions if (each[0].key, each[1].key) == (stage, criterion)), None)
    if found is None:
        raise NotFound(
            gettext("Name a stage and one of its criteria: %(known_questions)s.")
            % {"known_questions": known_questions(campaign)}
        )
    return found


def decide(
    *,
    actor: User,
    campaign: Campaign,
    stage: Stage,
    decision: Decision,
    shown: Shown | None = None,
    told: int | None = None,
) -> LedgerRow:
    """Settle one disagreement by adding an adjudicator's row to the ledger, which counts from now on.

    The decision is recorded under an adjudicator's assignment of the topic and stage. The assignment is created when it
    is first needed, and finished once nothing in the topic is left to decide. Evidence of the people who gave the same
    value is copied as far as it is still valid. ``shown`` is the decision and note that the page displayed; a newer one
    that it did not show is not overwritten (`require_seen`), and nothing is decided about a nugget that has other words
    by now than the page showed. ``told`` is the ledger point up to which the page showed notices
    (`require_notices_shown`). Costs twenty short queries, those of the kind of work, and those of `disagreements`
    twice.

    Raises `NotAllowed` for a thing that the actor judged or whose topic is their own work in this stage; `Invalid` for
    an unknown criterion or ``how``, a value that is not on the scale, and a note where none is kept; `Conflict` if the
    campaign is not being judged, nobody disagrees, runs of the actor's team are judged in the topic, a whole work was
    changed since it was shown, or what is taken back counts all the same, since another adjudicator decided it; and
    whatever the kind of work refuses.
    """
    kind = kind_of(stage)
    criterion = next((each for each in criteria_of(campaign, stage) if each.key == decision.criterion), None)
    if criterion is None:
        raise Invalid(
            gettext("“%(criterion)s” is not asked here. Reload the page and try again.")
            % {"criterion": decision.criterion[:50]}
        )
    if decision.how not in How.values:
        raise Invalid(gettext("%(how)s is not a way in which decisions come in.") % {"how": decision.how})
    was_sent = partial(_was_sent, decision)
    with unless_sent(was_sent):
        require_notices_shown(actor=actor, campaign=campaign, told=told)
    with transaction.atomic():
        topic = _lock_topic(campaign=campaign, kind=kind, thing=decision.thing)
        rows = disagreements(campaign, stage, criterion, things=[decision.thing], topics=[topic.pk])
        if not rows:
            raise Conflict(NOBODY)
        _require_no_party(actor=actor, campaign=campaign, stage=stage, row=rows[0])
        with unless_sent(was_sent):
            require_seen(shown=shown, current={"value": rows[0].decided, "note": rows[0].note})
            if decision.about is not None:
                facts = kind.about(rows).get(rows[0].name)
                require_seen(shown=Shown(decision.about), current=facts.text if facts is not None else None)
        _require_value(kind=kind, criterion=criterion, row=rows[0], decision=decision)
        assignment = _assignment(actor=actor, campaign=campaign, stage=stage, topic=topic)
        made = kind.record(actor, assignment, stage, rows[0], decision)
        if decision.value is None and rows[0].decided is not None:
            left = disagreements(campaign, stage, criterion, things=[decision.thing], topics=[topic.pk])
            if left and left[0].decided == rows[0].decided:
                raise Conflict(
                    gettext(
                        "Another adjudicator decided this, and it counts. You can decide otherwise, not take it back."
                    )
                )
    _finish_settled(actor=actor, campaign=campaign, stage=stage, topic=topic)
    return made


def _was_sent(decision: Decision) -> bool:
    """Return whether this click was stored before, in any ledger. One query for each ledger."""
    ledgers: list[type[Any]] = [ledger for ledger in LedgerRow.__subclasses__() if hasattr(ledger, "client_key")]
    return any(ledger.objects.filter(client_key=decision.client_key).exists() for ledger in ledgers)


def _finish_settled(*, actor: User, campaign: Campaign, stage: Stage, topic: Topic) -> None:
    """Mark the adjudicators' assignments of a topic's stage as done, once nothing is left to decide in them.

    They are checked again after the commit, since a disagreement may have come up meanwhile (`recheck_done_work`).
    """
    rows = stage_disagreements(campaign, stage, [topic.pk])
    if not rows or any(row.decided is None for row in rows):
        return
    held = campaign.assignments.filter(topic=topic, stage=stage.key, role=ADJUDICATOR)
    for assignment in held.filter(state=Assignment.State.STARTED):
        with transaction.atomic():
            own = Q(pk=assignment.pk)
            done = {"state": Assignment.State.DONE, "done_at": timezone.now(), "lease_until": None}
            if not held.filter(own, state=Assignment.State.STARTED).update(**done):
                continue

            def look_again(own: Q = own) -> None:
                recheck_done_work(campaign=campaign, topics=[topic.pk], only=own)

            transaction.on_commit(look_again, robust=True)
            record_activity(actor=actor, action="assignment.done", campaign=campaign, about=assignment)


def _require_no_party(*, actor: User, campaign: Campaign, stage: Stage, row: Disagreement) -> None:
    """Raise `NotAllowed` for a person who judged the thing, or who is or was an assessor of the topic's stage."""
    if any(side.assessor_id == actor.pk for side in row.sides):
        if row.thing.item_id is not None:
            raise NotAllowed(gettext("You judged this item yourself, so somebody else has to decide it."))
        raise NotAllowed(gettext("You judged this topic yourself, so somebody else has to decide it."))
    if not may_settle(row, actor, own_topics(campaign, stage, actor)):
        raise NotAllowed(
            gettext("“%(label)s” of topic %(topic)s is or was your own work, so somebody else has to decide it.")
            % {"label": in_language(stage.label), "topic": row.topic}
        )


def _lock_topic(*, campaign: Campaign, kind: Adjudication, thing: str) -> Topic:
    """Return the thing's topic and lock it, so that only one call creates the adjudicator's assignment.

    Raises `Conflict` for a thing that no topic of the campaign has, and if the campaign is not being judged.
    """
    require_judging(Campaign.objects.get(pk=campaign.pk))
    named = parse_name(thing)
    pk = kind.topic_of(named[0]) if named is not None else None
    topic = campaign.topics.select_for_update(no_key=True).filter(pk=pk or 0).first()
    if topic is None:
        raise Conflict(NOBODY, code=UNKNOWN_ITEM)
    return topic


def _require_value(*, kind: Adjudication, criterion: Criterion, row: Disagreement, decision: Decision) -> None:
    if decision.note.strip() and not kind.keeps_note:
        raise Invalid(gettext("No note is kept with this decision. Leave it out."))
    if decision.value is None:
        return
    if kind.is_whole:
        if decision.value not in row.values:
            raise Conflict(
                gettext(
                    "This was changed after you opened the page. Reload the list of disagreements and compare again."
                )
            )
    elif not criterion.allows(decision.value):
        scale = ", ".join(f"{grade.value} ({in_language(grade.name)})" for grade in criterion.grades)
        raise Invalid(
            gettext("%(value)s is not on the scale. Allowed are: %(scale)s.")
            % {"value": decision.value, "scale": scale}
        )


def _assignment(*, actor: User, campaign: Campaign, stage: Stage, topic: Topic) -> Assignment:
    """Return the adjudicator's own assignment of the topic's stage, open for writing; create it if there is none.

    Raises what `require_other_teams`, `open_assignment` and `reopen_assignment` raise.
    """
    held = campaign.assignments.filter(topic=topic, stage=stage.key, assessor=actor).exclude(state=RETURNED)
    found = held.select_related("topic").first()
    if found is None:
        require_other_teams(actor=actor, campaign=campaign, topic=topic, assessor=actor)
        found = new_assignment(
            campaign=campaign,
            topic=topic,
            stage=stage.key,
            assessor=actor,
            role=ADJUDICATOR,
            is_started=True,
        )
        add_assignments(actor=actor, campaign=campaign, assignments=[found])
    found.campaign = campaign
    if found.state == Assignment.State.OPEN:
        open_assignment(actor=actor, assignment=found)
    return reopen_assignment(actor=actor, assignment=found)
