"""Which documents a campaign needs: those that runs return or rank, that pools hold, or that topics and lists name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.db.models import Count, Q
from django.utils.translation import gettext, ngettext

from assess.base.errors import Invalid
from assess.base.numbers import grouped
from assess.base.sentences import Sentence
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.items.models import Item
from assess.items.queries import current_pools
from assess.jobs.progress import ReportProgress, no_report
from assess.pools.domain.candidates import pool_members
from assess.pools.domain.draw import ranking_of
from assess.pools.domain.rankings_file import gather_rankings
from assess.pools.domain.strategy import DEEPEST
from assess.protocol import ranked_recipe
from assess.runs.models import Citation, Run, Segment
from assess.runs.queries import accepted_runs
from assess.topics.models import ListedDocument
from assess.topics.queries import topic_docnos


def docnos_to_store(campaign: Campaign, wanted: str) -> Callable[[ReportProgress], set[str]] | None:
    """Return the function that finds the docnos of the documents to store, or None to store every document ("all").

    With "named", it finds the documents that the campaign needs now; with "ranked", also those that a later pool may
    need. Any other word is refused.
    """
    if wanted not in ("named", "ranked", "all"):
        raise Invalid(gettext("Say which documents to store: “named”, “ranked” or “all”."))
    return partial(wanted_docnos, campaign, is_later=wanted == "ranked") if wanted != "all" else None


def wanted_docnos(campaign: Campaign, progress: ReportProgress = no_report, *, is_later: bool = False) -> set[str]:
    """Return the docnos that are needed. Raise `Invalid`, with what is missing, if nothing names any.

    Ranked lists stay in their files. For a task without a pool they are read, and the documents that its pool would
    hold by the settings are needed. If ``is_later``, so are all documents that accepted runs rank for any topic, down
    to the `DEEPEST` place, so that a deeper or another pool needs no second loading. ``progress`` is called during that
    reading and may stop it by raising.
    """
    soon = _ranked_docnos(campaign, progress) if is_later else _pooled_soon(campaign, progress)
    named = named_docnos(campaign) | soon
    if not named:
        raise Invalid(Sentence("%(why_none)s Or store all documents of the files.", why_none=_why_none(campaign)))
    return named


def needs_no_documents(campaign: Campaign) -> bool:
    """Return whether the campaign has pooled items, and neither these nor anything else names a document."""
    pooled = Item.objects.filter(pool_items__pool__in=current_pools(campaign)).order_by()
    return pooled.exists() and not pooled.exclude(docno="").exists() and not named_docnos(campaign)


def named_docnos(campaign: Campaign) -> set[str]:
    """Return the docnos that accepted runs return, or that topics, pools, given items or document lists name."""
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


def _pooled_soon(campaign: Campaign, progress: ReportProgress) -> set[str]:
    """Return the docnos that the next pool of each task without a pool would add, if runs rank anything for it."""
    track = track_of(campaign)
    built = set(current_pools(campaign).values_list("task", flat=True))
    asked = set(campaign.topics.exclude(task="").order_by().values_list("task", flat=True).distinct()) - built
    found: set[str] = set()
    for task in track.tasks:
        if task.key in asked and ranked_recipe(track, task) is not None:
            missing = pool_members(campaign, task, progress=progress).missing.values()
            found.update(record.docno for record in missing if record.docno)
    return found


def _ranked_docnos(campaign: Campaign, progress: ReportProgress) -> set[str]:
    """Return the docnos that accepted runs rank, down to the `DEEPEST` place."""
    track = track_of(campaign)
    found: set[str] = set()
    for task in track.tasks:
        recipe = ranked_recipe(track, task)
        if recipe is None or not ranking_of(campaign, task, recipe.kind).is_document:
            continue
        rankings = gather_rankings(campaign, recipe.kind, list(accepted_runs(campaign)), DEEPEST, progress=progress)
        if rankings.runs:
            topics = campaign.topics.filter(task=task.key).values_list("number", flat=True)
            for _, ranked in rankings.each(DEEPEST, topics):
                found.update(docno for docnos in ranked.values() for docno in docnos)
    return found


def _why_none(campaign: Campaign) -> str:
    """Return a sentence on what must be done first."""
    states = dict(campaign.runs.order_by().values_list("state").annotate(count=Count("id")))
    if not campaign.topics.exists():
        return gettext("The campaign has no topics yet, so no document is needed: load the topics and then the runs.")
    if needs_no_documents(campaign):
        return gettext("Nothing that is judged here names a document, so none is needed.")
    if accepted := states.get(Run.State.ACCEPTED, 0):
        return ngettext(
            "%(count)s run is accepted, but it names no document for a topic that is judged. Look at the settings: "
            "which priorities and topics are judged.",
            "%(count)s runs are accepted, but they name no document for a topic that is judged. Look at the settings: "
            "which priorities and topics are judged.",
            accepted,
        ) % {"count": grouped(accepted)}
    others = [
        words(number) % {"count": grouped(number)}
        for state, words in ((Run.State.CHECKING, _checking), (Run.State.REJECTED, _rejected))
        if (number := states.get(state, 0))
    ]
    there = f" ({', '.join(others)})" if others else ""
    return gettext(
        "No run is accepted yet%(there)s, and no topic, pool or document list names a document. Load them first."
    ) % {"there": there}


def _checking(number: int) -> str:
    return ngettext("%(count)s run still being checked", "%(count)s runs still being checked", number)


def _rejected(number: int) -> str:
    return ngettext("%(count)s run rejected", "%(count)s runs rejected", number)
