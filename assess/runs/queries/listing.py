"""Runs: for organisers and participants. No workbench query uses any of this."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.items.queries.membership import current_pools
from assess.runs.models import Citation, Response, Run, Segment
from assess.topics.models import ListedDocument
from assess.topics.queries.named_docnos import topic_docnos


def accepted_runs(campaign: Campaign) -> QuerySet[Run]:
    """The runs that count, by tag."""
    return campaign.runs.filter(state=Run.State.ACCEPTED).order_by("tag")


def judged_runs(campaign: Campaign, priorities: Iterable[int]) -> QuerySet[Run]:
    """The accepted runs of these priorities, and those without a priority, by tag."""
    runs = accepted_runs(campaign)
    return runs.filter(priority__in=list(priorities)) | runs.filter(priority=None)


def run_replacing(run: Run) -> Run | None:
    """The run that took the place of this one, or None. One query of a withdrawn run, none of others."""
    if run.state != Run.State.WITHDRAWN:
        return None
    return run.replacements.exclude(state=Run.State.CHECKING).order_by("id").first()


def run_in_place(run: Run) -> Run | None:
    """The accepted run whose place this one takes once it is accepted, or None."""
    same = Run.objects.filter(campaign=run.campaign_id, state=Run.State.ACCEPTED, tag=run.tag, team=run.team)
    return same.exclude(pk=run.pk).first()


def older_attempts() -> Q:
    """The condition on runs that were rejected, and sent in again under the same tag by the same team."""
    same = Run.objects.filter(campaign=OuterRef("campaign"), team=OuterRef("team"), tag=OuterRef("tag"))
    return Q(Exists(same.filter(pk__gt=OuterRef("pk"))), state=Run.State.REJECTED)


def runs_with_sizes(runs: QuerySet[Run]) -> QuerySet[Run]:
    """The runs, each with ``answered`` (topics it answers) and ``strings`` (segments it returned)."""
    return runs.select_related("submitted_by").annotate(
        answered=Count("responses", distinct=True), strings=Count("responses__segments")
    )


def any_strings(runs: QuerySet[Run]) -> bool:
    """Whether one of these runs returned segments. One query."""
    return Segment.objects.filter(response__run__in=runs.order_by()).exists()


def returned_items(runs: QuerySet[Run], *, task: str, kind: str, depth: int | None = None) -> QuerySet[Item]:
    """The distinct items of a kind that these runs returned for the topics of a task.

    Whole responses count, and all segments with their citations; with ``depth``, those up to this ordinal.
    """
    segments = Segment.objects.filter(response__run__in=runs, response__topic__task=task)
    citations = Citation.objects.filter(segment__response__run__in=runs, item__topic__task=task, item__kind=kind)
    responses = Response.objects.filter(run__in=runs, topic__task=task, item__kind=kind)
    if depth is not None:
        segments = segments.filter(ordinal__lte=depth)
        citations = citations.filter(segment__ordinal__lte=depth)
    found = Item.objects.filter(pk__in=segments.filter(item__kind=kind).values("item"))
    cited = Item.objects.filter(pk__in=citations.values("item"))
    return found | cited | Item.objects.filter(pk__in=responses.values("item"))


def named_docnos(campaign: Campaign) -> set[str]:
    """The docnos that accepted runs return, or that topics, pools, given items or document lists name: the needed."""
    runs = accepted_runs(campaign)
    segments = Segment.objects.filter(response__run__in=runs).exclude(docno="")
    named = set(segments.values_list("docno", flat=True).distinct().iterator())
    citations = Citation.objects.filter(segment__response__run__in=runs)
    named.update(citations.values_list("docno", flat=True).distinct().iterator())
    counting = Q(given=True) | Q(pool_items__pool__in=current_pools(campaign))
    items = Item.objects.filter(counting, topic__campaign=campaign).exclude(docno="").order_by()
    named.update(items.values_list("docno", flat=True).distinct().iterator())
    listed = ListedDocument.objects.filter(topic__campaign=campaign)
    named.update(listed.values_list("docno", flat=True).distinct().iterator())
    return named | topic_docnos(campaign)
