"""The kinds of work that stages name, found by the setting ASSAY_KINDS and never by import.

A kind is one record of functions: the page of its workbench, how far the work is, and whatever else it answers. The
rest of the site asks the records, so that it need not know which kinds there are. A track names a kind by its key and
nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from scoring.records import Issue
from scoring.release.recorded_acts import RecordedAct

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse
    from django.urls import URLPattern

    from assess.assignments.models import Assignment
    from assess.campaigns.models import Campaign
    from assess.items.models import PoolItem
    from assess.judging.snapshots import Snapshot
    from assess.kinds.agreement_questions import ValueSource
    from assess.kinds.opinions import Adjudication
    from assess.kinds.recent import Recent
    from assess.kinds.trace import Finder
    from assess.ledger.models import LedgerRow
    from assess.progress.queries.counted import Counts
    from assess.protocol import Stage, Track, Work
    from assess.replay.session import Desk, ReplayLine


BENCH = "c/<slug:slug>/work/<int:assignment_id>/"
"""The address of an assignment, which shows the bench of its kind."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """How far an assignment is: things done of all, in a word for the thing ("instances")."""

    done: int
    total: int
    unit: str

    @property
    def left(self) -> int:
        """How many are still open."""
        return max(self.total - self.done, 0)


def noun_for(unit: str, number: int) -> str:
    """The word of a tally for so many things: "1 figure or table" where ``unit`` is "figures or tables".

    >>> noun_for("figures or tables", 1), noun_for("figures or tables", 2), noun_for("list of passages", 1)
    ('figure or table', 'figures or tables', 'list of passages')
    """
    if number != 1 or unit.startswith("list of "):
        return unit
    return " or ".join(word.removesuffix("s") for word in unit.split(" or "))


Settles = Callable[["Campaign", "QuerySet[PoolItem]", int, int], tuple[str, "QuerySet[Any]", "QuerySet[Any] | None"]]
Accepts = Callable[["Stage", RecordedAct], bool]
"""Whether a recorded act says something that is said in a stage of this kind of work."""
DraftUses = Callable[["Campaign"], Iterable["DraftUse"]]
"""What became of machines' drafts in the work of one kind, a record for each piece of work that was begun."""
PlacedAct = tuple[int | str, RecordedAct]
"""A recorded act with its place: the number of its line, or where in several files it stands."""
RecordedActs = Callable[["Snapshot", Mapping[int, str]], Iterator[RecordedAct]]
Collector = Callable[..., Iterable[Any]]
"""A function (snapshot, **options) that gives records."""
RecordMachine = Callable[["Assignment", "Stage", Sequence[PlacedAct], Callable[[Issue], None]], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftUse:
    """What became of the drafts that machines' judgments are in one assignment, and how long the work took.

    ``offered`` drafts stood before its assessor; of these so many were kept as they were (``original``), kept in other
    words or with another value (``edited``), or ``refused``; the others were left alone and are no judgments. ``new``
    is what the assessor said beside them. Where nothing was offered, all of it is new.
    """

    assignment: int
    stage: str
    topic: str
    assessor: int
    offered: int
    original: int
    edited: int
    refused: int
    new: int
    seconds: float

    @property
    def left(self) -> int:
        """How many drafts nobody said anything of."""
        return self.offered - self.original - self.edited - self.refused


PAUSE_SECONDS = 300
"""Longer than this between two acts nobody was at work."""


def active_seconds(times: Iterable[datetime]) -> float:
    """How long somebody worked whose acts came at these times: the time between them, pauses left out."""
    moments = sorted(times)
    gaps = ((later - earlier).total_seconds() for earlier, later in pairwise(moments))
    return sum(gap for gap in gaps if gap <= PAUSE_SECONDS)


def accepts_nothing(stage: Stage, act: RecordedAct) -> bool:
    """No act is said in stages of this kind of work."""
    del stage, act
    return False


def accepts_acts(*types: type) -> Accepts:
    """Acts of these types are said in every stage of a kind of work."""
    return lambda stage, act: isinstance(act, types)


def accepts_asked(*types: type) -> Accepts:
    """Acts of these types are said in the stages that ask for their criterion."""
    return lambda stage, act: isinstance(act, types) and stage.criterion(getattr(act, "criterion", "")) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkKind:
    """One kind of work: the record of ``options`` that a stage holds, by whose key it is found, and what the site asks
    of it.

    The bench: ``page(request, assignment)`` shows it, ``urls`` are its other addresses, under `BENCH`.
    ``begin(actor, assignment)`` puts in what is there before anything is said, once, in the transaction in which the
    work is opened for the first time; ``finds`` is what of topic drafts it takes up (`DraftFind.Kind`), "" for nothing.

    How far the work is: ``tally(assignments)`` maps each assignment's id to its tally in a bounded number of queries;
    ``counted`` is the same with counts at hand, where it is quicker with them. ``missing(assignment)`` is a sentence
    saying what is still to be done before the assignment can be marked done, or "" when nothing is.
    ``settled(campaign, pooled, since, up_to)`` lets pooled items that this work settles one by one be counted once
    (`WorkDay.settled`): the way from a row to its assignment, the rows that settle an item as of ledger point ``up_to``
    and were added after ``since``, and those that settled one as of ``since`` and have a newer one. ``ledgers`` are the
    tables, with the way from a row to its assignment, in which this work is recorded beside `Judgment`.
    ``asks_pooled``: its things are the pooled items of the stage's kind, all or some, so that there is nothing to do
    where none is pooled. ``checks``: what a campaign may lack before it can be frozen.

    What was said: ``adjudication``, how it is settled where people disagree; ``questions``, what judges are compared
    on; ``trace``, by `scoring.release.explained.About.kind`, who finds what was said of the thing behind a score;
    ``recent``, what somebody said last, so that they can look at it again.

    What goes in and out: ``accepts(stage, act)`` says whether a recorded act is said in a stage of this kind.
    ``acts(snapshot, names)`` gives what was said in this work up to its ledger point, by whatever role, as such acts;
    ``names`` are the pseudonyms by user id. ``replay(desk, lines)`` does again what acts of one person in one stage of
    one topic say. ``record_machine(assignment, stage, acts, report)`` adds the rows of what a machine judge said of
    one topic, under its own assignment: what can't be recorded is reported and passed over, what was recorded before
    adds nothing. ``collectors`` are where records for exports come from, by the keys that tracks name
    (`Export.collect`). ``draft_uses`` says what became of the drafts that machines' judgments are on the bench of this
    kind, where they are accepted, edited or refused one by one.

    Whatever a kind does not have is left out.
    """

    options: type[Work]
    page: Callable[[HttpRequest, Assignment], HttpResponse]
    tally: Callable[[list[Assignment]], dict[int, Tally]]
    missing: Callable[[Assignment], str]
    urls: tuple[URLPattern, ...] = ()
    begin: Callable[[User, Assignment], None] | None = None
    finds: str = ""
    counted: Callable[[list[Assignment], Counts], dict[int, Tally]] | None = None
    settled: Settles | None = None
    ledgers: tuple[tuple[type[LedgerRow], str], ...] = ()
    asks_pooled: bool = False
    checks: tuple[FreezeCheck, ...] = ()
    adjudication: Adjudication | None = None
    questions: tuple[ValueSource, ...] = ()
    trace: Mapping[str, Finder] = field(default_factory=dict)
    recent: Recent | None = None
    accepts: Accepts = accepts_nothing
    acts: RecordedActs | None = None
    replay: Callable[[Desk, list[ReplayLine]], None] | None = None
    record_machine: RecordMachine | None = None
    collectors: Mapping[str, Collector] = field(default_factory=dict)
    draft_uses: DraftUses | None = None

    @property
    def key(self) -> str:
        """What the kind is called in stages, addresses and exports."""
        return self.options.key


@lru_cache(maxsize=1)
def kinds() -> dict[str, WorkKind]:
    """All kinds of work by key, in the order of the setting ASSAY_KINDS.

    To be called inside functions only: a kind imports its pages, so a call while modules load would run in a circle.
    """
    found: tuple[WorkKind, ...] = import_string(settings.ASSAY_KINDS)
    by_key = {kind.key: kind for kind in found}
    if len(by_key) < len(found):
        raise ImproperlyConfigured("ASSAY_KINDS names two kinds of work with the same key")
    return by_key


def lacks_bench(track: Track) -> str:
    """Return the kind of work of a track's stage for which this site has no bench; "" where it has all."""
    stages = [stage for task in track.tasks for stage in task.stages]
    return next((stage.work.key for stage in stages if stage.work.key not in kinds()), "")


def work_kind(key: str) -> WorkKind:
    """The kind of work with this key; a track that names an unknown one is a bug and crashes loudly."""
    return kinds()[key]


# What a campaign is missing before it can be frozen. Each kind of work has its freeze checks (`WorkKind.checks`).
#
# A freeze check is a function of the campaign with a bounded number of queries, whatever the campaign's size.


@dataclass(frozen=True, kw_only=True, slots=True)
class FreezeIssue:
    """Something missing: how often (``count``), in a sentence, and the page where it is resolved.

    While there is an "error", freezing is refused; past a "warning" an organiser may go who says why. ``page`` is the
    name of an address of the campaign, ``query`` the query string.
    """

    code: str
    severity: Literal["error", "warning"]
    count: int
    text: str
    page: str
    action: str
    query: str = ""


FreezeCheck = Callable[["Campaign"], Iterable[FreezeIssue]]
