"""Loading documents: streamed from collection files, prepared for display once, and stored in small batches."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop

from assess.base.errors import Invalid
from assess.base.file_issues import Collector, Report, in_file
from assess.base.sentences import Sentence, ngettext_noop
from assess.campaigns.activity import record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.documents.domain.adding_items import link_left_items
from assess.documents.domain.document_rows import FoundDocument, again, differs, known_documents, store_documents
from assess.documents.models import Document
from assess.documents.queries.about import about_document
from assess.jobs.progress import JobProgress, ReportProgress, Stopped, no_report
from assess.protocol import Track
from assess.rendering.processes import RenderPool
from scoring.collections.bundle import DOCUMENTS, BundleDocument, looks_like_bundle, read_bundle, unfit_bundle
from scoring.collections.guesses import plain_records
from scoring.collections.members import Members
from scoring.collections.record_files import read_members
from scoring.formats.document_facts import FIELD_LIMIT, kept_fields
from scoring.formats.document_files import iter_document_files, read_documents, sniff_document_format
from scoring.formats.images import read_images
from scoring.formats.plain_text import read_plain_text
from scoring.formats.unfit_files import unfit_document_file
from scoring.reading.opening import CannotOpen, excerpt_of, open_input
from scoring.records import DocumentRecord, Issue

BATCH = 50
BATCH_BYTES = 16_000_000
NAMED_SHOWN = 5
FIELDS_SHOWN = 30
UNUSUAL = {
    Document.Status.BLANK: ngettext_noop(
        "%(number)s of them shows no text (%(first)s)", "%(number)s of them show no text (%(first)s)"
    ),
    Document.Status.TEXT_ONLY: ngettext_noop(
        "%(number)s of them is shown as text alone (%(first)s)",
        "%(number)s of them are shown as text alone (%(first)s)",
    ),
    Document.Status.FAILED: ngettext_noop(
        "%(number)s of them can't be shown (%(first)s)", "%(number)s of them can't be shown (%(first)s)"
    ),
}
"""Words for one document, and for several, with a status other than OK."""

Wanted = Literal["named", "ranked", "all"]
WantedDocnos = Callable[[ReportProgress], set[str]]
"""A function that returns the docnos that are needed; it reports progress, since it may read long run files."""


@dataclass(frozen=True, slots=True)
class Source:
    """An uploaded file: its path in the store, and the name by which people know it.

    Pages inside an uploaded file can't be trusted, so they are made again from the bytes.
    """

    path: Path
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedDocuments:
    """The result of loading documents.

    ``read`` counts the records that were read: those ``stored`` now, those ``unchanged`` (stored before with the same
    bytes) and those ``passed_over`` (not wanted). ``missing`` counts the wanted documents that are not stored;
    ``missing_docnos`` has the first of them. ``statuses`` counts the stored documents by the status of their
    preparation; ``unusual_docnos`` has the first docnos of each unusual status.
    """

    read: int
    stored: int
    unchanged: int
    passed_over: int
    missing: int
    missing_docnos: tuple[str, ...]
    statuses: Mapping[str, int]
    unusual_docnos: Mapping[str, Sequence[str]]
    report: Report
    stopped: bool

    def sentence(self) -> Sentence:
        """Return a sentence on the result."""
        parts = [
            Sentence("%(number)s document stored", "%(number)s documents stored", self.stored),
            Sentence("%(count)s stored before", count=self.unchanged),
        ]
        if self.passed_over:
            parts.append(Sentence("%(count)s passed over, since nobody names them", count=self.passed_over))
        for status, said in UNUSUAL.items():
            if count := self.statuses.get(status):
                parts.append(Sentence(*said, count, first=_first(self.unusual_docnos[status], count)))
        if self.stopped:
            return Sentence("Stopped: %(parts)s. Start again to go on.", parts=parts)
        if self.missing:
            parts.append(
                Sentence(
                    "%(number)s named document is still missing (%(first)s)",
                    "%(number)s named documents are still missing (%(first)s)",
                    self.missing,
                    first=_first(self.missing_docnos, self.missing),
                )
            )
        return Sentence("%(parts)s.", parts=parts)


def _first(docnos: Sequence[str], count: int) -> str:
    return ", ".join((*docnos, "…") if count > len(docnos) else docnos)


def load_documents(
    *,
    actor: User,
    campaign: Campaign,
    sources: Sequence[Source | Path],
    wanted: WantedDocnos | None,
    members: Members | None = None,
    may_be_records: bool = False,
    progress: Callable[[JobProgress], None] = no_report,
    should_stop: Callable[[], bool] = lambda: False,
) -> LoadedDocuments:
    """Store the documents of files and folders, gzipped or not, in the formats of the campaign's track, and of bundles.

    Only documents that ``wanted`` returns are stored (`wanted_docnos` returns the needed ones), or all if it is None.
    Each is prepared for display in a worker process with a time limit. Batches of 50 are committed as they are
    finished, so a stopped load continues when it is started again: documents that are stored with the same bytes are
    skipped. Other bytes under a stored docno are reported and not stored, since people may have judged the stored
    document. A bad record is reported and never stops the rest. Pages and texts of a bundle are taken unchanged from a
    path on this machine, and made again from the bytes of an upload.

    With ``may_be_records``, JSON and tables whose records name a docno and a text are read, too; otherwise they are
    refused, so that a person looks at them first. With ``members`` the files are records of that form, and all of them
    are read once before anything is stored: if one record is wrong, `BadFile` is raised, and nothing of it is stored.
    Raises `Invalid` for a path where nothing is, `Conflict` for a closed campaign, and `StoreAway` if an external
    storage does not take the documents.
    """
    require_changeable(campaign)
    files = list(_files(sources, may_be_records))

    def step(told: JobProgress) -> None:
        progress(told)
        if should_stop():
            raise Stopped

    try:
        if members is not None:
            _require_sound(files, members, step)
        named = wanted(step) if wanted is not None else None
    except Stopped:
        return _Loading(campaign=campaign, named=set(), progress=progress).loaded(stopped=True)
    loading = _Loading(campaign=campaign, named=named, progress=progress, members=members)
    stopped = False
    with RenderPool(processes=settings.ASSAY_RENDER_PROCESSES, seconds=settings.ASSAY_RENDER_SECONDS) as pool:
        for batch in _batches(loading.found(files)):
            loading.store(batch, pool)
            if should_stop():
                stopped = True
                break
    link_left_items(campaign)
    loaded = loading.loaded(stopped=stopped)
    data = {
        "files": [each.name for each in files][:20],
        "stored": loaded.stored,
        "wanted": "all" if wanted is None else "named",
    }
    with transaction.atomic():
        record_activity(actor=actor, action="documents.load", campaign=campaign, data=data)
    return loaded


READ = noop("file %(number)s of %(files)s, %(read)s documents read")
LOOKED_AT = noop("%(records)s records looked at, nothing stored yet")


def _require_sound(files: Sequence[_File], members: Members, step: ReportProgress) -> None:
    """Raise `BadFile` for files of records if one record can't be read. Takes as long as reading them."""
    collector, read = Collector(), 0
    for file in files:
        for each in _records(file.path, members, file.name):
            read += 1
            if isinstance(each, Issue):
                collector(in_file(file.name, each))
            if read % 1_000 == 0:
                step(JobProgress(done=0, note=LOOKED_AT, values={"records": read}))
    collector.refuse_errors(name=", ".join(file.name for file in files))


def _records(path: Path, members: Members, name: str) -> Iterator[DocumentRecord | Issue]:
    try:
        yield from read_members(path, members, name=name)
    except CannotOpen as error:
        yield Issue(where="", code="cannot-open", message=f"The file cannot be read: {error}.")


@dataclass(slots=True)
class _Loading:
    """The state of one load: its counts, the problems found, and its progress."""

    campaign: Campaign
    named: set[str] | None
    progress: Callable[[JobProgress], None]
    members: Members | None = None
    collector: Collector = field(default_factory=Collector)
    counts: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    unusual: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    further: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    met: set[str] = field(default_factory=set)
    place: dict[str, int] = field(default_factory=lambda: {"number": 0, "files": 0})

    def found(self, files: Sequence[_File]) -> Iterator[FoundDocument]:
        """Yield the wanted documents of all files; collect issues under the file's name."""
        for number, file in enumerate(files, start=1):
            track = track_of(self.campaign)
            records = _records(file.path, self.members, file.name) if self.members is not None else None
            for each in records if records is not None else _documents_in(file, track):
                if isinstance(each, Issue):
                    self.collector(in_file(file.name, each))
                    continue
                record, prepared = (each.record, each.prepared) if isinstance(each, BundleDocument) else (each, None)
                self.counts["read"] += 1
                self.place = {"number": number, "files": len(files)}
                if self.counts["read"] % 1_000 == 0:
                    self._report_progress()
                if self.named is not None and record.docno not in self.named:
                    self.counts["passed over"] += 1
                    continue
                yield FoundDocument(record, file.name, prepared if file.keeps_pages else None)

    def store(self, batch: Sequence[FoundDocument], pool: RenderPool) -> None:
        """Prepare and commit the new documents of a batch, without those that another load stores at this moment."""
        fresh = list(self._fresh(batch))
        try:
            stored = store_documents(campaign=self.campaign, found=fresh, pool=pool)
        except IntegrityError:
            if len(left := list(self._fresh(fresh))) == len(fresh):
                raise
            self.store(left, pool)
            return
        for document in stored:
            self.statuses[document.status] += 1
            if document.status in UNUSUAL and len(self.unusual[document.status]) < NAMED_SHOWN:
                self.unusual[document.status].append(document.docno)
            self.further.update(name for name, _ in about_document(document).further)
        for each in fresh:
            self.left_out.update(each.record.fields.keys() - kept_fields(each.record.fields).keys())
        self.counts["stored"] += len(stored)
        self._report_progress()

    def _fresh(self, batch: Sequence[FoundDocument]) -> Iterator[FoundDocument]:
        known = known_documents(self.campaign, [each.record.docno for each in batch])
        for each in batch:
            docno = each.record.docno
            if self.named is not None:
                self.met.add(docno)
            earlier = known.get(docno)
            if earlier is None:
                known[docno] = each.origin
                yield each
            elif earlier.sha256 != each.sha256:
                self.collector(differs(each, earlier.source_file))
            else:
                self.counts["unchanged"] += 1
                if (earlier.source_file, earlier.source_offset) != (each.source, each.record.offset):
                    self.collector(again(each, earlier.source_file))

    def _report_progress(self) -> None:
        done, values = self.counts["stored"] + self.counts["unchanged"], self.place | {"read": self.counts["read"]}
        self.progress(JobProgress(done=done, total=len(self.named or ()) or None, note=READ, values=values))

    def _missing(self) -> list[str]:
        """Return the wanted documents that are stored neither by this load nor before."""
        unmet = sorted(self.named - self.met) if self.named is not None else []
        known = known_documents(self.campaign, unmet)
        return [docno for docno in unmet if docno not in known]

    def loaded(self, *, stopped: bool) -> LoadedDocuments:
        """Return the result so far."""
        missing = self._missing()
        for issue in _field_notes(self.further, self.left_out):
            self.collector(issue)
        return LoadedDocuments(
            read=self.counts["read"],
            stored=self.counts["stored"],
            unchanged=self.counts["unchanged"],
            passed_over=self.counts["passed over"],
            missing=len(missing),
            missing_docnos=tuple(missing[:NAMED_SHOWN]),
            statuses=self.statuses,
            unusual_docnos=self.unusual,
            report=self.collector.report(),
            stopped=stopped,
        )


@dataclass(frozen=True, slots=True)
class _File:
    """A file to read, its name, whether pages that it brings along are stored unchanged, and whether it may be one of
    plain records.
    """

    path: Path
    name: str
    keeps_pages: bool
    may_be_records: bool


def _files(sources: Sequence[Source | Path], may_be_records: bool) -> Iterator[_File]:
    """Yield every file with the name to store for it. Raises `Invalid` for a path where nothing is.

    The name of a file in a folder is the folder's name and the path inside it.
    """
    for source in sources:
        path, name = (source.path, source.name) if isinstance(source, Source) else (source, source.name)
        try:
            for file in _bundle_in(path) or iter_document_files(path):
                inside = file.relative_to(path).as_posix() if file != path else ""
                yield _File(
                    file,
                    f"{name}/{inside}" if inside else name,
                    keeps_pages=isinstance(source, Path),
                    may_be_records=may_be_records,
                )
        except CannotOpen as error:
            raise Invalid(gettext("There is no file or folder %(name)s. Check the path.") % {"name": name}) from error


def _bundle_in(path: Path) -> list[Path]:
    """Return the file with the documents of a bundle's folder, as a list; an empty list for any other folder. The other
    files of a bundle are not documents.
    """
    documents = path / DOCUMENTS
    return [documents] if documents.is_file() and (path / "bundle.json").is_file() else []


def _documents_in(file: _File, track: Track) -> Iterator[DocumentRecord | BundleDocument | Issue]:
    path, name = file.path, file.name
    try:
        own = track.documents_in(path) if track.documents_in is not None else None
        if own is not None:
            yield from own
            return
        if looks_like_bundle(path):
            records = plain_records(path) if file.may_be_records and unfit_bundle(path) is not None else None
            yield from read_bundle(path) if records is None else read_members(path, records, name=name)
            return
        document_format = sniff_document_format(path)
        if issue := unfit_document_file(path, track.document_formats):
            records = plain_records(path) if file.may_be_records else None
            yield from [issue] if records is None else read_members(path, records, name=name)
        elif document_format in ("text", "image"):
            with open_input(path) as stream:
                yield from (read_plain_text if document_format == "text" else read_images)(stream, name=name)
        else:
            yield from read_documents(path, document_format)
    except CannotOpen as error:
        yield Issue(where="", code="cannot-open", message=f"The file was passed over: {error}.")


def _batches(found: Iterable[FoundDocument]) -> Iterator[list[FoundDocument]]:
    """Yield batches of up to 50 documents, or of fewer large ones."""
    remaining = iter(found)
    while first := list(islice(remaining, 1)):
        batch, size = first, len(first[0].record.raw)
        while len(batch) < BATCH and size < BATCH_BYTES and (more := next(remaining, None)) is not None:
            batch.append(more)
            size += len(more.record.raw)
        yield batch


def _field_notes(further: Counter[str], left_out: Counter[str]) -> Iterator[Issue]:
    """Yield notes on which further fields of the documents are stored and which are not, naming each field once."""
    if further:
        message = f"Further fields are kept and shown beside the documents that have them: {_named(further)}."
        yield Issue(where="", code="further-fields", message=message, severity="note")
    if left_out:
        message = (
            f"Fields that are not kept: {_named(left_out)}. They are longer than {FIELD_LIMIT:,} characters, or what "
            "their names say would tell those who judge of runs and of other judgments."
        )
        yield Issue(where="", code="fields-not-kept", message=message, severity="note")


def _named(names: Counter[str]) -> str:
    """Return the names with the number of their documents, the most frequent first."""
    shown = [f"{excerpt_of(name)} ({count:,})" for name, count in names.most_common(FIELDS_SHOWN)]
    return ", ".join(shown) + (f" and {len(names) - FIELDS_SHOWN:,} more" if len(names) > FIELDS_SHOWN else "")
