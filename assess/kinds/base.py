"""The kinds of work that stages name, found by the setting ASSAY_KINDS and never by import.

A kind is one record of functions: the page of its bench, the tally of its assignments, and whatever else it can answer.
The rest of the site calls these functions, so it need not know which kinds there are. A track names a kind by its key
and nothing more.
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
from django.utils.translation import gettext

from assess.base.track_settings import noop
from scoring.records import Issue
from scoring.release.recorded_acts import RecordedAct, TopicMarks

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
    from assess.protocol import Stage, Work
    from assess.replay.session import Desk, ReplayLine


BENCH = "c/<slug:slug>/work/<int:assignment_id>/"
"""The address of an assignment, which shows the bench of its kind."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """The progress of an assignment: how many things are done of how many, and the word for them ("instances")."""

    done: int
    total: int
    unit: str

    @property
    def left(self) -> int:
        """The number of things still open."""
        return max(self.total - self.done, 0)


def noun_for(unit: str, number: int) -> str:
    """Return a tally's noun in singular or plural: for 1, "figure or table" if ``unit`` is "figures or tables".

    >>> noun_for("figures or tables", 1), noun_for("figures or tables", 2), noun_for("list of passages", 1)
    ('figure or table', 'figures or tables', 'list of passages')
    """
    if number != 1 or unit.startswith("list of "):
        return unit
    return " or ".join(word.removesuffix("s") for word in unit.split(" or "))


NOUNS = (
    *(noop("answer"), noop("answers"), noop("citation"), noop("citations"), noop("claim"), noop("claims")),
    *(noop("correct answer"), noop("correct answers"), noop("description"), noop("descriptions")),
    *(noop("figure or table"), noop("figures or tables"), noop("instance"), noop("instances")),
    *(noop("list of descriptions"), noop("list of figures or tables"), noop("nugget"), noop("nuggets")),
    *(noop("line"), noop("lines")),
    *(noop("nugget list"), noop("passage"), noop("passages"), noop("response"), noop("responses")),
    *(noop("required sentence"), noop("required sentences")),
    *(noop("sentence"), noop("sentences"), noop("snippet"), noop("snippets"), noop("statement"), noop("statements")),
    *(noop("string"), noop("strings"), noop("text"), noop("texts")),
)
"""The usual words for what stages judge, in singular and plural. Pages translate them; a track's other words stay as
the track writes them.
"""


def noun_and_plural(noun: str) -> tuple[str, str]:
    """Return a design's noun and its plural in the reader's language.

    If the catalogue has not both, return the noun as it is, and with an s. For "", return "" twice.
    """
    if not noun:
        return "", ""
    one, many = gettext(noun), gettext(f"{noun}s")
    return (one, many) if one != noun and many != f"{noun}s" else (noun, f"{noun}s")


Settles = Callable[["Campaign", "QuerySet[PoolItem]", int, int], tuple[str, "QuerySet[Any]", "QuerySet[Any] | None"]]
Accepts = Callable[["Stage", RecordedAct], bool]
"""A function that returns whether a recorded act belongs to a stage of this kind of work."""
DraftUses = Callable[["Campaign"], Iterable["DraftUse"]]
"""A function that returns what assessors did with machines' drafts, one record for each assignment that was begun."""
PlacedAct = tuple[int | str, RecordedAct]
"""A recorded act with its place: its line number, or its place within several files."""
RecordedActs = Callable[["Snapshot", Mapping[int, str]], Iterator[RecordedAct | TopicMarks]]
Collector = Callable[..., Iterable[Any]]
"""A function (snapshot, **options) that returns records for exports."""
RecordMachine = Callable[["Assignment", "Stage", Sequence[PlacedAct], Callable[[Issue], None]], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftUse:
    """What an assessor did with the machine drafts of one assignment, and how long the assignment took.

    Of the ``offered`` drafts, ``original`` counts those accepted unchanged, ``edited`` those accepted with other words
    or another value, and ``refused`` those refused. The rest were ignored and count as no judgment. ``new`` counts the
    assessor's own answers; if no drafts were offered, these are all answers.
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
        """The number of drafts that the assessor neither accepted nor refused."""
        return self.offered - self.original - self.edited - self.refused


PAUSE_SECONDS = 300
"""A gap between two acts that is longer than this counts as a pause."""


def active_seconds(times: Iterable[datetime]) -> float:
    """Return the seconds that somebody worked, from the times of their acts, in any order.

    They are the sum of the gaps between acts. A gap of more than `PAUSE_SECONDS` is a pause and adds nothing, so a
    single act gives 0.
    """
    moments = sorted(times)
    gaps = ((later - earlier).total_seconds() for earlier, later in pairwise(moments))
    return sum(gap for gap in gaps if gap <= PAUSE_SECONDS)


def accepts_nothing(stage: Stage, act: RecordedAct) -> bool:
    """Return False for every act: the default of `WorkKind.accepts`."""
    del stage, act
    return False


def accepts_acts(*types: type) -> Accepts:
    """Return a function that accepts acts of these types in every stage of a kind of work."""
    return lambda stage, act: isinstance(act, types)


def accepts_asked(*types: type) -> Accepts:
    """Return a function that accepts acts of these types in the stages that ask for the act's criterion."""
    return lambda stage, act: isinstance(act, types) and stage.criterion(getattr(act, "criterion", "")) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkKind:
    """One kind of work: the type of its ``options``, whose key identifies it, and the functions that the site calls.

    The bench: ``page(request, assignment)`` shows it; ``urls`` are its further addresses, under `BENCH`. ``begin(actor,
    assignment)`` fills in what an assignment contains from the start; it is called once, in the transaction that opens
    the assignment for the first time. ``finds`` is the kind of finds in topic drafts that it takes over
    (`DraftFind.Kind`), or "".

    Progress: ``tally(assignments)`` maps each assignment's id to its tally in a bounded number of queries; ``counted``
    does the same faster from counts that are at hand. ``missing(assignment)`` is a sentence that says what must be done
    before the assignment can be marked done, or "". ``settled(campaign, pooled, since, up_to)`` serves to count newly
    settled items (`WorkDay.settled`). It returns the path from a row to its assignment, the rows after ``since`` that
    settle an item as of ledger point ``up_to``, and the rows that settled one as of ``since`` and now have a newer one.
    ``ledgers`` are the tables, other than `Judgment`, in which this work is recorded, each with the path from a row to
    its assignment. ``asks_pooled`` means that pooled items of the stage's kind are judged, so that there is nothing to
    do if none is pooled. ``checks`` are its freeze checks.

    Answers: ``adjudication`` says how disagreements are settled; ``questions`` are the sources on which judges are
    compared. ``trace`` maps `scoring.release.explained.About.kind` to the function that finds the judgments behind a
    score. ``recent`` returns a person's latest answers, for a second look.

    Import and export: ``accepts(stage, act)`` says whether a recorded act belongs to a stage of this kind.
    ``acts(snapshot, names)`` returns all acts of this kind up to the ledger point, in every role; ``names`` are
    pseudonyms by user id. ``replay(desk, lines)`` repeats the acts of one person in one stage of one topic.
    ``record_machine(assignment, stage, acts, report)`` records a machine judge's acts on one topic under its own
    assignment. It reports and skips acts that can't be recorded, and adds nothing for acts recorded before.
    ``collectors`` return records for exports, by the keys that tracks name (`Export.collect`). ``draft_uses`` reports
    on machine drafts, for kinds whose bench offers drafts to accept, edit or refuse; they also have ``has_drafts``,
    which says beforehand, in a few queries, whether there may be any.

    A kind leaves out what it does not have.
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
    has_drafts: Callable[[Campaign], bool] | None = None

    @property
    def key(self) -> str:
        """The key that names this kind in stages, addresses and exports."""
        return self.options.key


@lru_cache(maxsize=1)
def kinds() -> dict[str, WorkKind]:
    """Return all kinds of work by key, in the order of the setting ASSAY_KINDS.

    Call it only inside functions: a kind imports its pages, so a call while modules load would be circular. Raises
    `ImproperlyConfigured` if two kinds have the same key.
    """
    found: tuple[WorkKind, ...] = import_string(settings.ASSAY_KINDS)
    by_key = {kind.key: kind for kind in found}
    if len(by_key) < len(found):
        raise ImproperlyConfigured("ASSAY_KINDS names two kinds of work with the same key")
    return by_key


def work_kind(key: str) -> WorkKind:
    """Return the kind of work with this key. An unknown key is a bug in the track and raises `KeyError`."""
    return kinds()[key]


# What keeps a campaign from being frozen. Each kind of work has its freeze checks (`WorkKind.checks`).
#
# A freeze check is a function of the campaign with a bounded number of queries, whatever the campaign's size.


@dataclass(frozen=True, kw_only=True, slots=True)
class FreezeIssue:
    """A problem that a freeze check found: how often it occurs (``count``), and the page where it is resolved.

    An "error" prevents freezing; a "warning" can be passed by an organiser who gives a reason. ``text`` states the
    problem. ``page`` is the name of an address of the campaign, ``query`` its query string.
    """

    code: str
    severity: Literal["error", "warning"]
    count: int
    text: str
    page: str
    action: str
    query: str = ""


FreezeCheck = Callable[["Campaign"], Iterable[FreezeIssue]]
