"""Imports that have not finished: nobody sees their campaigns, and those that never will finish are removed.

An import commits block after block, so that people who judge elsewhere wait for one block at most. From the first block
to the last, `UnfinishedImport` names its campaign, which `whole_campaigns` leaves out, so no page, call or command
finds it. The last block deletes that row, and so reveals the whole campaign at once. An import that is refused or
stopped removes its campaign. If it was killed, the next import does so (docs/decisions/0016).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import lru_cache
from graphlib import TopologicalSorter

from django.apps import apps
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.db.models import ForeignKey, Model, ProtectedError

from assess.campaigns.models import Campaign
from assess.jobs.workers import holding
from assess.ledger.models import LedgerRow
from assess.ledger.removing import deletion_allowed
from assess.releases.models import UnfinishedImport

logger = logging.getLogger(__name__)

BLOCK = 500
"""How many rows are deleted in one transaction."""

ACCOUNT = r"^(assessor-[0-9]+|machine-[A-Z]+|TEAM-[A-Z]+)@{slug}$"
"""The user names of accounts that an import makes, to which nobody can log in."""


@contextmanager
def hidden_campaign(make: Callable[[], Campaign]) -> Iterator[Campaign]:
    """Yield the campaign that ``make`` makes, which nobody sees until `show_campaign`.

    If the block fails, the campaign is removed. Until the block ends, this process holds a lock that marks the import
    as running. The system releases it if the process ends.
    """
    with ExitStack() as held:
        with transaction.atomic():
            campaign = make()
            UnfinishedImport.objects.create(campaign=campaign)
            held.enter_context(holding(_lock_of(campaign)))
        try:
            yield campaign
        except BaseException:
            try:
                remove_campaign(campaign)
            except DatabaseError as error:
                logger.warning("what was imported can't be removed now; the next import does that: %s", error)
            raise


def show_campaign(campaign: Campaign) -> None:
    """Reveal the campaign. Call it in the transaction of the import's last block."""
    UnfinishedImport.objects.filter(campaign=campaign).delete()


def remove_left_over() -> None:
    """Remove what killed imports left behind. Imports that are running in other processes are left alone."""
    for row in UnfinishedImport.objects.select_related("campaign"):
        with holding(_lock_of(row.campaign)) as is_left_over:
            if is_left_over and UnfinishedImport.objects.filter(pk=row.pk).exists():
                remove_campaign(row.campaign)


def remove_campaign(campaign: Campaign) -> None:
    """Remove a campaign that nobody ever saw, block by block, and the accounts that were made for it.

    An account that has judged elsewhere stays. If the process is killed meanwhile, calling it again removes the rest.
    Raises `LookupError` for a campaign that others can see.
    """
    if not UnfinishedImport.objects.filter(campaign=campaign).exists():
        raise LookupError(f"{campaign.slug} is there for all to see, so nothing of it can be taken away")
    for model, path in _tables():
        while _remove_block(model, path, campaign):
            pass
    with transaction.atomic():
        accounts = User.objects.filter(username__regex=ACCOUNT.format(slug=re.escape(campaign.slug)), is_active=False)
        for person in accounts.filter(memberships=None):
            try:
                person.delete()
            except ProtectedError:  # an account that has judged elsewhere stays
                continue
        UnfinishedImport.objects.filter(campaign=campaign).delete()
        Campaign.objects.filter(pk=campaign.pk).delete()


def _remove_block(model: type[Model], path: str, campaign: Campaign) -> bool:
    """Delete the newest rows, since newer rows refer to older ones. Return whether there were any."""
    with transaction.atomic():
        rows = model._base_manager.filter(**{path: campaign.pk}).order_by("-pk")
        found = list(rows.values_list("pk", flat=True)[:BLOCK])
        if found:
            with deletion_allowed(model) if issubclass(model, LedgerRow) else nullcontext():
                model._base_manager.filter(pk__in=found)._raw_delete(connection.alias)
    return bool(found)


@lru_cache(maxsize=1)
def _tables() -> list[tuple[type[Model], str]]:
    """Return every table with rows of campaigns and the lookup that leads to the campaign.

    Each table comes before the tables that its rows refer to.
    """
    paths: dict[type[Model], str] = {Campaign: ""}
    pointing = {model: _pointers(model) for model in apps.get_models()}
    while more := {
        model: "__".join(filter(None, (field.name, paths[field.related_model])))
        for model, fields in pointing.items()
        for field in fields
        if model not in paths and field.related_model in paths and (not field.null or field.related_model is Campaign)
    }:
        paths |= more
    order: TopologicalSorter[type[Model]] = TopologicalSorter()
    for model in paths:
        order.add(model)
        for field in pointing[model]:
            if field.related_model in paths and field.related_model is not model:
                order.add(field.related_model, model)
    return [(model, paths[model]) for model in order.static_order() if model not in (Campaign, UnfinishedImport)]


def _pointers(model: type[Model]) -> list[ForeignKey]:  # type: ignore[type-arg]
    return [field for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]


def _lock_of(campaign: Campaign) -> str:
    return f"import-{campaign.pk}"
