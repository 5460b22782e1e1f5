"""Lists that come with documents: valid docnos, and what a search engine ranked for each target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext, ngettext

from assess.base.bulk import add_new_rows
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.base.file_issues import Collector, Report
from assess.base.numbers import grouped
from assess.base.sentences import Sentence
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign, Part
from assess.campaigns.queries import settings_of, track_of
from assess.campaigns.seats import Seat
from assess.documents.models import DocnoList, ValidDocno
from assess.documents.queries.documents import DocumentLine, document_list
from assess.jobs.progress import JobProgress, no_report
from assess.topics.models import ListedDocument, Topic
from assess.user_agreements.access import is_open_to, require_open_to
from scoring.file_kinds import recognise
from scoring.formats.docno_lists import HEADERS, DoubtfulDocnos, no_docnos
from scoring.formats.document_list import MAX_RANKED, read_document_list
from scoring.reading.opening import copied, excerpt_of, split_issues, text_lines
from scoring.reading.plain_names import KnownNames
from scoring.reading.unpacking import damage_errors, damage_issue, is_packed
from scoring.records import Issue, RankedDoc


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedList:
    """The result of loading document lists: how many targets' lists changed or stayed, and how many documents they
    list.
    """

    targets: int
    unchanged: int
    documents: int
    report: Report


def load_document_list(*, actor: User, campaign: Campaign, stream: BinaryIO, name: str) -> LoadedList:
    """Load lines of `qnum rank docid rsv` for one or more targets, up to the top 1000 of each.

    A target's list is replaced as a whole; loading the same list again changes nothing. After any error nothing is
    stored, and `BadFile` is raised; a list for a question is an error if the track has lists only for targets. Raises
    `Conflict` for a closed campaign.
    """
    require_changeable(campaign)
    topics = {topic.number: topic for topic in campaign.topics.select_related("parent")}
    collector = Collector()
    lists = _lists(stream, topics, collector, of_series=track_of(campaign).lists_for_series)
    if not lists and not collector.errors:
        collector(Issue(where="", code="empty-list", message="There is no line in the file. Check the file chosen."))
    report = collector.refuse_errors(name=name)
    changed = stored = 0
    with transaction.atomic():
        lock_open(campaign)
        for number, ranked in lists.items():
            if _replace(topics[number], ranked):
                changed += 1
                stored += len(ranked)
        if changed:
            data = {"file": name, "targets": changed, "documents": stored}
            record_activity(actor=actor, action="document_list.load", campaign=campaign, data=data)
    return LoadedList(targets=changed, unchanged=len(lists) - changed, documents=stored, report=report)


def may_see_lists(seat: Seat) -> bool:
    """Return whether this member may read document lists.

    Organisers may; participants may once the lists are open to them; assessors may if the campaign's settings say so.
    """
    if not is_open_to(seat, Part.LISTS):
        return False
    return seat.is_organiser or seat.is_participant or getattr(settings_of(seat.campaign), "show_document_lists", True)


def has_list_for(seat: Seat, topic: Topic) -> bool:
    """Return whether this member may read a document list of the topic or its target. At most one query."""
    if not may_see_lists(seat):
        return False
    return ListedDocument.objects.filter(topic__in=[topic.pk, topic.parent_id or topic.pk]).exists()


def require_may_see_lists(seat: Seat) -> None:
    """Raise `NotAllowed` for an assessor to whom lists are not shown, and what `require_open_to` raises."""
    require_open_to(seat, Part.LISTS)
    if not may_see_lists(seat):
        raise NotAllowed(
            gettext("This campaign's assessors judge without document lists. Ask the organiser if you need one.")
        )


def document_list_as(seat: Seat, topic: Topic, *, limit: int, offset: int = 0) -> list[DocumentLine]:
    """Return a part of the topic's document list, best first: of its own list, or else of its target's.

    Raises what `require_may_see_lists` raises. Four queries at most.
    """
    require_may_see_lists(seat)
    own = document_list(topic, limit=limit, offset=offset)
    return own or (document_list(topic.parent, limit=limit, offset=offset) if topic.parent is not None else [])


def _lists(
    stream: BinaryIO, topics: dict[str, Topic], collector: Collector, *, of_series: bool
) -> dict[str, list[RankedDoc]]:
    """Return the best 1000 documents of each target, by rank.

    A number that is not a target of the campaign is reported once.
    """
    lists: dict[str, list[RankedDoc]] = {}
    unknown: set[str] = set()
    for record in split_issues(read_document_list(stream), collector):
        target = topics[record.topic].parent if of_series and record.topic in topics else None
        if target is not None and record.topic not in unknown:
            unknown.add(record.topic)
            message = (
                f"{record.topic} is a question; document lists are for whole targets. "
                f"Use its target's number: {target.number}."
            )
            collector(Issue(where="", code="list-of-question", message=message, excerpt=record.topic[:80]))
        elif target is not None:
            continue
        elif record.topic in topics:
            found = lists.setdefault(record.topic, [])
            found.append(record)
            if len(found) == 2 * MAX_RANKED:
                lists[record.topic] = _best(found)
        elif record.topic not in unknown:
            unknown.add(record.topic)
            advice = "Load the topics first, or correct the first column."
            message = KnownNames(topics).lacks("target", record.topic, advice)
            collector(Issue(where="", code="unknown-target", message=message))
    return {number: _best(found) for number, found in lists.items()}


def _best(found: Iterable[RankedDoc]) -> list[RankedDoc]:
    return nsmallest(MAX_RANKED, found, key=lambda each: each.rank)


def _replace(topic: Topic, ranked: list[RankedDoc]) -> bool:
    """Replace the topic's list and return whether it changed."""
    earlier = list(topic.listed_documents.order_by("rank").values_list("rank", "docno", "score"))
    if earlier == [(each.rank, each.docno, each.score) for each in ranked]:
        return False
    topic.listed_documents.all().delete()
    ListedDocument.objects.bulk_create(
        ListedDocument(topic=topic, rank=each.rank, docno=each.docno, score=each.score) for each in ranked
    )
    return True


# Loading lists of valid docnos, which may have millions of lines, into the database.


def add_new_docnos(list_id: int, docnos: Sequence[str]) -> int:
    """Add the docnos that a list does not have yet and return their number. Needs a transaction."""
    return add_new_rows(ValidDocno, ["docno_list_id", "docno"], [(list_id, docno) for docno in docnos])


BATCH = 50_000  # rows of one short transaction, so that nobody waits long for the database


LONGEST, NAME_LIMIT = 200, 255


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedDocnos:
    """The result of loading a list of docnos: lines read, docnos in the list, and docnos in the list that it
    replaced.
    """

    name: str
    read: int
    docnos: int
    replaced: int
    report: Report
    stopped: bool

    def sentence(self) -> Sentence:
        """Return a sentence on the result."""
        if self.stopped:
            return Sentence("Stopped: nothing of the list was stored. Start again to load it.")
        before = Sentence(", in place of %(replaced)s", replaced=self.replaced) if self.replaced else ""
        return Sentence(
            "%(number)s docno read; the list %(name)s has %(docnos)s%(before)s.",
            "%(number)s docnos read; the list %(name)s has %(docnos)s%(before)s.",
            self.read,
            name=self.name,
            docnos=self.docnos,
            before=before,
        )


def load_docnos(
    *,
    actor: User,
    campaign: Campaign,
    stream: BinaryIO,
    name: str,
    list_name: str = "",
    progress: Callable[[JobProgress], None] = no_report,
    should_stop: Callable[[], bool] = lambda: False,
) -> LoadedDocnos:
    """Load the docnos of a file, one a line, as a list with this name (by default the file's), all or nothing.

    It replaces a list of the same name. The new docnos are stored in batches of 50,000 and replace the old ones all at
    once at the end, so runs are checked against either list as a whole. A stopped load leaves nothing. Raises `BadFile`
    for a file of another kind or with a line that is not a docno, and `Conflict` for a closed campaign or if another
    load of the same list began meanwhile. Costs about 8 seconds a million.
    """
    require_changeable(campaign)
    collector = Collector()
    list_name = " ".join((list_name or name).split())[:NAME_LIMIT]
    with _copied(stream, collector, name=name) as file:
        require_docnos(file, name=name)
        if not sum(1 for _ in _docnos(file, collector)) and not collector.errors:
            collector(Issue(where="", code="empty-file", message="There is no docno in the file. Check the file."))
        report = collector.refuse_errors(name=name)
        file.seek(0)
        _drop(campaign.docno_lists.filter(name=list_name, in_place=False))  # left by a killed load
        made = DocnoList.objects.create(campaign=campaign, name=list_name)
        try:
            read, docnos, stopped = _add_all(made, _docnos(file, collector), progress, should_stop)
            replaced = 0 if stopped else _put_in_place(made, docnos, actor=actor, file_name=name)
        finally:
            _drop(campaign.docno_lists.filter(name=list_name, in_place=False))
    counts = (0, 0) if stopped else (read, docnos)
    return LoadedDocnos(
        name=list_name, read=counts[0], docnos=counts[1], replaced=replaced, report=report, stopped=stopped
    )


def _add_all(
    made: DocnoList,
    docnos: Iterator[str],
    progress: Callable[[JobProgress], None],
    should_stop: Callable[[], bool],
) -> tuple[int, int, bool]:
    """Add docnos to a list not yet in place; return how many were read and added, and whether it was stopped.

    Raises `Conflict` if the campaign is closed or the list was removed meanwhile.
    """
    read = added = 0
    while batch := list(islice(docnos, BATCH)):
        with transaction.atomic():
            lock_open(made.campaign)
            _require_there(made)
            added += add_new_docnos(made.pk, batch)
        read += len(batch)
        progress(JobProgress(done=read, unit="docnos"))
        if should_stop():
            return read, added, True
    return read, added, False


def _put_in_place(made: DocnoList, docnos: int, *, actor: User, file_name: str) -> int:
    """Put a list in place of the one with its name, and return how many docnos the replaced list had.

    Raises `Conflict` if the new list was removed meanwhile.
    """
    campaign = made.campaign
    with transaction.atomic():
        lock_open(campaign)
        same = campaign.docno_lists.filter(name=made.name, in_place=True)
        replaced = sum(same.values_list("docnos", flat=True))
        same.update(in_place=False)
        _require_there(made)
        campaign.docno_lists.filter(pk=made.pk).update(in_place=True, docnos=docnos)
        data = {"file": file_name, "list": made.name, "docnos": docnos, **({"removed": replaced} if replaced else {})}
        record_activity(actor=actor, action="docnos.load", campaign=campaign, data=data)
    return replaced


def _require_there(made: DocnoList) -> None:
    if not DocnoList.objects.filter(pk=made.pk).exists():
        raise Conflict(
            Sentence("The list %(made)s was begun to be loaded a second time. The second one counts.", made=made.name)
        )


def empty_docnos(*, actor: User, campaign: Campaign, list_name: str = "") -> int:
    """Remove a list of valid docnos, or all lists, and return how many docnos they had.

    Raises `Invalid` for an unknown name, and `Conflict` for a closed campaign and if accepted runs were checked against
    the lists: then another list can be loaded instead.
    """
    require_changeable(campaign)
    if checked := runs_checked_by_docnos(campaign):
        raise Conflict(
            ngettext(
                "%(number)s accepted run was checked against the list. Load another list in its place instead.",
                "%(number)s accepted runs were checked against the list. Load another list in its place instead.",
                checked,
            )
            % {"number": grouped(checked)}
        )
    with transaction.atomic():
        lock_open(campaign)
        lists = campaign.docno_lists.filter(in_place=True, **({"name": list_name} if list_name else {}))
        removed = sum(lists.values_list("docnos", flat=True))
        if list_name and not lists.exists():
            known = ", ".join(campaign.docno_lists.filter(in_place=True).values_list("name", flat=True)) or "none"
            raise Invalid(
                gettext("There is no list %(list_name)s. There are: %(known)s.")
                % {"list_name": list_name[:60], "known": known},
                field="name",
            )
        if removed:
            data = {"removed": removed, **({"list": list_name} if list_name else {})}
            record_activity(actor=actor, action="docnos.empty", campaign=campaign, data=data)
        lists.update(in_place=False)
    _drop(campaign.docno_lists.filter(in_place=False, **({"name": list_name} if list_name else {})))
    return removed


def runs_checked_by_docnos(campaign: Campaign) -> int:
    """Return how many accepted runs came in since the campaign has had a list of docnos. Three queries at most."""
    all_out = campaign.activities.filter(action="docnos.empty").exclude(data__has_key="list")
    emptied = all_out.order_by("-id").values_list("id", flat=True).first()
    loads = campaign.activities.filter(action="docnos.load", id__gt=emptied or 0).order_by("id")
    if (first := loads.first()) is None:
        return 0
    return campaign.runs.filter(state="accepted", submitted_at__gte=first.created_at).count()


def require_docnos(file: BinaryIO, *, name: str) -> None:
    """Raise `BadFile` for a file that is evidently not a list of docnos; packed files are not examined."""
    if is_packed(_head(file)):
        return
    if (issue := no_docnos(recognise(file))) is not None:
        collector = Collector()
        collector(issue)
        collector.refuse_errors(name=name, hint="Choose the list of docnos.")


def _head(file: BinaryIO) -> bytes:
    place = file.tell()
    start = file.read(10)
    file.seek(place)
    return start


@contextmanager
def _copied(stream: BinaryIO, collector: Collector, *, name: str) -> Iterator[BinaryIO]:
    """Yield a copy of the file that can be read twice. Raises `BadFile` for a damaged one."""
    with ExitStack() as opened:
        try:
            file = opened.enter_context(copied(stream))
        except damage_errors() as error:
            collector(damage_issue(error))
            collector.refuse_errors(name=name)
            raise
        yield file


def _drop(lists: QuerySet[DocnoList]) -> None:
    """Delete lists that are not in place, with their docnos, in short transactions."""
    for each in lists.values_list("pk", flat=True):
        rows = ValidDocno.objects.filter(docno_list=each)
        while batch := list(rows.order_by("id").values_list("id", flat=True)[:BATCH]):
            rows.filter(id__lte=batch[-1]).delete()
        DocnoList.objects.filter(pk=each, in_place=False).delete()


def _docnos(stream: BinaryIO, report: Callable[[Issue], None]) -> Iterator[str]:
    doubtful = DoubtfulDocnos()
    for number, text in split_issues(text_lines(stream, limit=4096), report):
        docno = text.strip()
        if not docno:
            continue
        if len(docno) > LONGEST or len(docno.split()) > 1:
            message = "A line holds one docno: no white space inside, at most 200 characters. Correct the line."
            report(Issue(where=number, code="docno-form", message=message, excerpt=excerpt_of(docno)))
        elif len(docno) > 1 and docno[0] == docno[-1] and docno[0] in "\"'":
            message = "A docno stands without quotes around it. Take them out."
            report(Issue(where=number, code="docno-form", message=message, excerpt=excerpt_of(docno)))
        elif number == 1 and docno.lower() in HEADERS:
            message = "The first line was read as the name of the column, not as a docno."
            report(Issue(where=1, code="header", message=message, severity="note"))
        else:
            for issue in doubtful.look(number, docno):
                report(issue)
            yield docno
    for issue in doubtful.at_end():
        report(issue)
