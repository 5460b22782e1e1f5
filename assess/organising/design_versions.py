"""New versions of a campaign's design: what a version changes, which records are in its way, and putting it into force.

Before anything is judged, everything may change. Afterwards, recorded judgments keep their meaning. A change that
records depend on is refused, with their number. The design can instead map recorded values to new ones; each moved
judgment is then a further row of the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.base.files import keep_bytes
from assess.base.numbers import grouped
from assess.base.wording import counted
from assess.campaigns.activity import hold_work, record_activity, require_open_now
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.designs import DESIGN, DesignVersion, design_versions, designs, text_of_design
from assess.campaigns.domain import DESIGN_LIMIT, checked_settings, text_with_files
from assess.campaigns.grown_work import recheck_done_work, rechecked_together
from assess.campaigns.models import Campaign
from assess.campaigns.queries import registered_tracks, track_of, track_of_text
from assess.controls.domain import follow_design
from assess.judging.models import Judgment
from assess.kinds.base import kinds
from assess.ledger.models import take_points
from assess.machines.suggested_answers import store_suggested_answers
from assess.organising.moved_values import (
    NOTHING_PREPARED,
    PreparedMoves,
    judgments_of_value,
    move_values,
    moves_of,
    prepare_moves,
)
from assess.organising.queries.scales import count_ledger_rows
from assess.protocol import Track
from assess.protocol.designs import DependentRecords, DesignChange, DesignFault, ValueMapping
from assess.runs.models import Run

SEEN = ("stages.",)
"""Prefixes of the members that assessors see on their benches. They are not notified of changes of other members."""
UNSEEN = ("gain", "people", "settle", "after", "needs", "by_hand", "level", "control", "repeats", "agreement")


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedChange:
    """A change, and the number of records that depend on it: 0 if it may be made."""

    change: DesignChange
    number: int = 0
    noun: str = "judgment"

    @property
    def place(self) -> str:
        """The place of the change: a line of the new design, or of the one in force."""
        return f"{'line in force' if self.change.gone else 'line'} {self.change.line}"

    @property
    def sentence(self) -> str:
        """A sentence about the change and about the records in its way."""
        if not self.number:
            return self.change.message
        are = "stands" if self.number == 1 else "stand"
        way = f"{counted(self.number, self.noun)} {are} in the way."
        hint = f" To move them, write: {self.change.mapping}" if self.change.mapping else ""
        return f"{self.change.message} {way}{hint}"


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignPlan:
    """What a text would do as the next version: its faults, its changes, and the values that it moves.

    ``mappings`` are given with the number of judgments that each moves. ``track`` is the evaluation that the text
    describes. A text with errors has neither changes, mappings nor a track.
    """

    faults: Sequence[DesignFault] = ()
    changes: Sequence[CheckedChange] = ()
    mappings: Sequence[tuple[ValueMapping, int]] = ()
    track: Track | None = field(default=None, repr=False)

    @property
    def moved(self) -> int:
        """The number of judgments that get another value."""
        return sum(count for each, count in self.mappings if each.before != each.now)

    @property
    def in_the_way(self) -> list[CheckedChange]:
        """The changes that can't be made, since records depend on what they change."""
        return [each for each in self.changes if each.number]

    @property
    def errors(self) -> list[DesignFault]:
        """The faults that make the text unusable as a design."""
        return [each for each in self.faults if each.severity == "error"]


def design_values(campaign: Campaign) -> dict[str, str]:
    """Return the values that a new version replaces."""
    return {"design": text_of_design(campaign.design) if campaign.design else ""}


def plan_design(campaign: Campaign, text: str, prepared: PreparedMoves = NOTHING_PREPARED) -> DesignPlan:
    """Return what a text would do as the next version of the campaign's design, without storing anything.

    Refused: a campaign of an installed track, and a text that can't be compared with the design in force. Judgments
    that were read when moves were ``prepared`` are not read again.
    """
    _require_design(campaign)
    reader = designs()
    faults = tuple(reader.faults(text, kinds()))
    if any(each.severity == "error" for each in faults):
        return DesignPlan(faults=faults)
    *earlier, present = [text_of_design(each.design) for each in design_versions(campaign)]
    try:
        found = reader.changes(present, text, earlier=earlier)
        track = track_of_text(text)
    except ValueError as error:
        raise Invalid(str(error), field="design") from error
    changes = [_checked_change(campaign, each) for each in found.changes]
    mappings = [
        (each, len(judgments_of_value(campaign, each.question, each.before, prepared))) for each in found.mappings
    ]
    return DesignPlan(faults=faults, changes=changes, mappings=mappings, track=track)


def change_design(
    *,
    actor: User,
    campaign: Campaign,
    text: str,
    files: Mapping[str, bytes] | None = None,
    made_from: MadeFrom | None = None,
) -> DesignVersion:
    """Put the next version of the design into force and return it. If nothing changes, return the one in force.

    ``files`` are the files that the text names. The campaign keeps its own guidelines, and suggested answers are
    recorded with the next pool. Writes that are under way are waited for; later writes see the new version. The rows
    that move values are made before that, so that nobody waits for them. Settings that the design gave the campaign
    change with it, unless somebody had changed them.

    Refused: a design that is too long, has errors or has the key of an installed track; a change that records depend on
    (`DesignPlan.in_the_way`); suggested answers that can't be read; a closed campaign; one of an installed track; and a
    text that was ``made_from`` a version other than the one in force.
    """
    if len(text.encode()) > DESIGN_LIMIT:
        raise Invalid(
            gettext("The design has more than %(design_limit)s bytes.") % {"design_limit": grouped(DESIGN_LIMIT)},
            field="design",
        )
    text = text_with_files(text, files) if files else text
    prepared = _prepared(campaign, text)
    with rechecked_together(campaign=campaign, actor=actor), transaction.atomic():
        locked, _ = hold_work(campaign)
        require_open_now(locked)
        _require_design(locked)
        present = design_values(locked)
        if text == present["design"]:
            store_suggested_answers(actor=actor, campaign=locked, files=files or {})
            return design_versions(locked)[-1]
        require_unchanged(campaign=locked, present=present, made_from=made_from, action=DESIGN)
        take_points(locked.pk)
        plan = plan_design(locked, text, prepared)
        track = _required_track(plan)
        was = copy(locked)
        before, number = locked.design, len(design_versions(locked)) + 1
        settings = _settings(locked, track)
        locked.design, locked.track, locked.settings = keep_bytes(track.design.encode()), track.key, settings
        locked.save(update_fields=["design", "track", "settings"])
        data = _version_record(number, before, locked.design, [each.change for each in plan.changes], plan.mappings)
        record_activity(actor=actor, action=DESIGN, campaign=locked, about=locked, data=data)
        store_suggested_answers(actor=actor, campaign=locked, files=files or {})
        mappings = [each for each, _ in plan.mappings]
        move_values(locked, mappings, prepared)
        follow_design(before=was, now=locked, moves=moves_of(mappings))
        recheck_done_work(campaign=locked, actor=actor)
    campaign.design, campaign.track, campaign.settings = locked.design, locked.track, locked.settings
    return design_versions(locked)[-1]


def _prepared(campaign: Campaign, text: str) -> PreparedMoves:
    """Return the rows by which a text would move values; nothing if `plan_design` will refuse the text."""
    reader, present = designs(), Campaign.objects.get(pk=campaign.pk)
    if not present.design or any(each.severity == "error" for each in reader.faults(text, kinds())):
        return NOTHING_PREPARED
    *earlier, before = [text_of_design(each.design) for each in design_versions(present)]
    try:
        found = reader.changes(before, text, earlier=earlier)
    except ValueError:  # which the plan says under the lock
        return NOTHING_PREPARED
    return prepare_moves(present, found.mappings)


def add_versions(*, actor: User, campaign: Campaign, texts: Sequence[str]) -> None:
    """Record the versions of a design when a release is loaded. ``texts`` are all of them, the one in force last.

    A text that can't be compared with the one before it is refused. Needs a transaction.
    """
    for number, (before, now) in enumerate(pairwise(texts), 2):
        try:
            found = designs().changes(before, now, earlier=texts[: number - 2])
        except ValueError as error:
            raise Invalid(str(error), field="design") from error
        old, new = keep_bytes(before.encode()), keep_bytes(now.encode())
        data = _version_record(number, old, new, found.changes, [(each, 0) for each in found.mappings])
        record_activity(actor=actor, action=DESIGN, campaign=campaign, about=campaign, data=data)


def _version_record(
    number: int, before: str, now: str, changes: Sequence[DesignChange], mappings: Sequence[tuple[ValueMapping, int]]
) -> dict[str, Any]:
    """Return the record of a version: the design files before and after it, all changes in words, and which of them
    concern assessors.
    """
    data: dict[str, Any] = {"version": number, "before": before, "design": now}
    data["changes"] = [each.message for each in changes]
    data["seen"] = [each.message for each in changes if _is_seen(each)]
    if mappings:
        data["mapped"] = [
            {"question": each.question, "from": each.before, "to": each.now, "judgments": count}
            for each, count in mappings
        ]
    return data


def _require_design(campaign: Campaign) -> None:
    if not campaign.design:
        raise Conflict(
            gettext("The campaign has an installed track, which has no versions. Change its settings instead.")
        )


def _required_track(plan: DesignPlan) -> Track:
    if plan.errors or plan.track is None:
        told = [": ".join(part for part in (f"line {e.line}", e.member, e.message) if part) for e in plan.errors]
        raise Invalid("\n".join(told), field="design")
    if plan.track.key in registered_tracks():
        raise Invalid(
            gettext("There is a track “%(key)s” already: give the design another key.") % {"key": plan.track.key},
            field="design",
        )
    if found := plan.in_the_way:
        told = [f"{each.place}: {each.sentence}" for each in found]
        raise Conflict("\n".join(told), field="design")
    return plan.track


# ---------------------------------------------------------------- records in the way of a change


def _checked_change(campaign: Campaign, change: DesignChange) -> CheckedChange:
    stands_on = change.stands_on
    if stands_on is None:
        return CheckedChange(change=change)
    if stands_on.runs:
        number = campaign.runs.filter(state__in=(Run.State.ACCEPTED, Run.State.CHECKING)).count()
        return CheckedChange(change=change, number=number, noun="run")
    if judged := _judged(campaign, stands_on):
        return CheckedChange(change=change, number=judged)
    if change.gone and not stands_on.question:
        number = campaign.assignments.filter(stage=stands_on.stage).count()
        return CheckedChange(change=change, number=number, noun="assignment")
    return CheckedChange(change=change)


def _judged(campaign: Campaign, stands_on: DependentRecords) -> int:
    if stands_on.value is not None:
        return len(judgments_of_value(campaign, stands_on.question, stands_on.value))
    if stands_on.question:
        return Judgment.objects.filter(assignment__campaign=campaign, criterion=stands_on.question).count()
    if not stands_on.stage:
        return count_ledger_rows(campaign)
    own = Judgment.objects.filter(assignment__campaign=campaign, assignment__stage=stands_on.stage).count()
    others = ((ledger, path) for kind in kinds().values() for ledger, path in kind.ledgers)
    where = [(ledger, {f"{path}__campaign": campaign, f"{path}__stage": stands_on.stage}) for ledger, path in others]
    return own + sum(ledger._default_manager.filter(**found).count() for ledger, found in where)


# ---------------------------------------------------------------- putting a version into force


def _settings(campaign: Campaign, track: Track) -> dict[str, Any]:
    """Return the campaign's settings under the new design. Settings that nobody had changed follow the design."""
    old = track_of(campaign).settings
    present = old.with_later(campaign.settings)
    before, now = old().as_mapping(), track.settings().as_mapping()
    kept = {name: value for name, value in present.items() if name in now and value != before.get(name)}
    return checked_settings(track=track, values={**now, **kept})


def _is_seen(change: DesignChange) -> bool:
    """Return whether assessors see the change: whether it concerns what is asked, named or explained on their
    benches.
    """
    return change.member.startswith(SEEN) and not change.member.split(".")[-1].startswith(UNSEEN)
