"""Store counts of the work up to some point of the ledgers and pools, so that pages only count what was added since."""

from __future__ import annotations

import time

from django.db import connection, transaction

from assess.base.errors import Conflict
from assess.campaigns.models import Campaign
from assess.progress.models import CountedUpTo, PooledCount, WorkDay
from assess.progress.queries.counted import Basis, Counts, CountsSince, basis_of, stored_counts, together
from assess.progress.queries.counted_since import counted_since

AT_ONCE = 20_000
"""How many ledger points one step counts, if somebody waits for a limited time."""
ALL_AT_ONCE = 200_000
"""How many ledger points are counted before the result is stored, if somebody waits for all of them."""
BEHIND = 500
"""How far behind the stored counts may be before a page updates them."""


def count_work(campaign: Campaign, *, seconds: float | None = None) -> Counts:
    """Count a campaign's work up to the newest ledger row, store the counts, and return them.

    With ``seconds``, counting goes on in steps of some tenths of a second, and no step but the first begins after so
    many seconds of processor time; the counts may then be incomplete (`Counts.is_complete`). Nothing is stored if the
    stored counts are nearly up to date, or if somebody else stored newer ones meanwhile.
    """
    basis = basis_of(campaign)
    return _brought_up(campaign, basis, stored_counts(campaign, basis), seconds)


def counts_at_hand(campaign: Campaign) -> Counts | None:
    """Return counts of a campaign's work, brought up to date by one step at most; None if one step is not enough."""
    basis = basis_of(campaign)
    stored = stored_counts(campaign, basis)
    if stored.newest - stored.point > AT_ONCE:
        return None
    counts = _brought_up(campaign, basis, stored, 0)
    return counts if counts.is_complete else None


def _brought_up(campaign: Campaign, basis: Basis, stored: Counts, seconds: float | None) -> Counts:
    began, at_most = time.thread_time(), ALL_AT_ONCE if seconds is None else AT_ONCE
    while not stored.is_complete:
        since = counted_since(campaign, basis, stored, at_most=at_most)
        if since.point - stored.point > BEHIND or since.pool_item > stored.pool_item or not stored.point:
            _store(campaign, basis, stored, since)
        stored = together(stored, since)
        if seconds is not None and time.thread_time() - began >= seconds:
            break
    return stored


IN_A_CALL = 0.4
"""Seconds of processor time within which a call of the API begins further steps before it answers."""


class StillCounting(Conflict):
    """Much was recorded at once, for instance by an import, and has not been counted yet."""

    code = "still-counting"


def counts_for_a_call(campaign: Campaign) -> Counts:
    """Return counts of a campaign's work, brought up to date.

    Raises `StillCounting` if that takes more than one call: each call counts on from where the last one stopped.
    """
    counts = count_work(campaign, seconds=IN_A_CALL)
    if not counts.is_complete:
        so_far = f"up to ledger point {counts.point:,} of {counts.newest:,}"
        raise StillCounting(f"What was recorded is being counted, {so_far}. Each call counts on: ask again.")
    return counts


def _store(campaign: Campaign, basis: Basis, stored: Counts, since: CountsSince) -> None:
    with transaction.atomic():
        held = CountedUpTo.objects.select_for_update(no_key=True).filter(campaign=campaign).first()
        if held is None or held.basis != basis.digest or not stored.point + stored.pool_item:
            _begin_anew(campaign, basis)
        elif (held.point, held.pool_item) != (stored.point, stored.pool_item):
            return
        CountedUpTo.objects.filter(campaign=campaign).update(point=since.point, pool_item=since.pool_item)
        _add_days(campaign, since)
        _add_pooled(since)


def _begin_anew(campaign: Campaign, basis: Basis) -> None:
    WorkDay.objects.filter(campaign=campaign).delete()
    PooledCount.objects.filter(pool__campaign=campaign).delete()
    CountedUpTo.objects.update_or_create(
        campaign=campaign, defaults={"basis": basis.digest, "point": 0, "pool_item": 0}
    )


def _add_days(campaign: Campaign, since: CountsSince) -> None:
    statement = (
        "INSERT INTO assess_workday "
        "(campaign_id, topic_id, stage, assessor_id, day, acts, settled, seconds, timed, last_at) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) "
        "ON CONFLICT (campaign_id, topic_id, stage, assessor_id, day) DO UPDATE SET "
        "acts = assess_workday.acts + excluded.acts, settled = assess_workday.settled + excluded.settled, "
        "seconds = assess_workday.seconds + excluded.seconds, timed = assess_workday.timed + excluded.timed, "
        "last_at = CASE WHEN assess_workday.last_at IS NULL OR assess_workday.last_at < excluded.last_at "
        "THEN excluded.last_at ELSE assess_workday.last_at END"
    )
    moment = connection.ops.adapt_datetimefield_value
    rows = [
        (campaign.pk, *key, each.acts, each.settled, each.seconds, each.timed, each.last_at and moment(each.last_at))
        for key, each in since.days.items()
    ]
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)


def _add_pooled(since: CountsSince) -> None:
    statement = (
        "INSERT INTO assess_pooledcount (pool_id, topic_id, kind, items) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (pool_id, topic_id, kind) DO UPDATE SET items = assess_pooledcount.items + excluded.items"
    )
    rows = [(*place, items) for place, items in since.pooled.items()]
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)
