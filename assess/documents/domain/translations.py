"""Translations of documents: loaded from a file of records, all or nothing, and removed by language.

They are only read next to their documents: evidence, quotes and search refer to the original.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.base.bulk import add_rows
from assess.base.errors import Invalid
from assess.base.file_issues import Collector, Report
from assess.base.sentences import Sentence
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.documents.models import Document, DocumentTranslation
from assess.jobs.progress import JobProgress, no_report
from scoring.collections.guesses import guess_members
from scoring.collections.record_files import read_members
from scoring.reading.opening import CannotOpen
from scoring.records import Issue

BATCH = 200
TOOL_LIMIT, LANGUAGE_LIMIT = 200, 35
COLUMNS = ("campaign_id", "docno", "language", "tool", "sha256", "text")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Translated:
    """A translated text in a file: its document, its language, and the tool that made it ("" if unknown)."""

    docno: str
    language: str
    tool: str
    text: str

    @property
    def sha256(self) -> str:
        """The digest that identifies the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedTranslations:
    """The result of loading translations: how many are new, replaced, unchanged, or skipped because their document is
    not stored.
    """

    stored: int
    replaced: int
    unchanged: int
    passed_over: int
    report: Report
    stopped: bool

    def sentence(self) -> Sentence:
        """Return a sentence on the result."""
        parts = [
            Sentence("%(number)s translation stored", "%(number)s translations stored", self.stored),
            Sentence("%(count)s replaced", count=self.replaced),
            Sentence("%(count)s as before", count=self.unchanged),
        ]
        if self.passed_over:
            parts.append(
                Sentence(
                    "%(count)s passed over, since their documents are not stored: load these first",
                    count=self.passed_over,
                )
            )
        if self.stopped:
            return Sentence("Stopped: %(parts)s. Load them again to go on.", parts=parts)
        return Sentence("%(parts)s.", parts=parts)


def load_translations(
    *,
    actor: User,
    campaign: Campaign,
    path: Path,
    name: str,
    language: str = "",
    tool: str = "",
    progress: Callable[[JobProgress], None] = no_report,
    should_stop: Callable[[], bool] = lambda: False,
) -> LoadedTranslations:
    """Store the translations of a file of records: JSON, CSV, tab-separated columns or Parquet, packed or not.

    A record has docno and text; its own language and tool take precedence over those given for all records. A text
    replaces the stored translation of the same document into the same language as long as the campaign can be changed,
    since people judge the original. The file is read once before anything is stored; if a record is wrong, `BadFile` is
    raised. Batches of 200 are committed as they are done, so a stopped load continues when it is started again. Raises
    `Invalid` for a malformed language or tool, and `Conflict` for a closed campaign.
    """
    require_changeable(campaign)
    given = (_for_all(language, "language", LANGUAGE_LIMIT), _for_all(tool, "tool", TOOL_LIMIT))
    collector = Collector()
    total = sum(1 for _ in _translations_in(path, given, collector))
    if not total and not collector.errors:
        collector(Issue(where="", code="empty-file", message="There is no translation in the file. Check the file."))
    report = collector.refuse_errors(name=name)
    counts, stopped, done = [0, 0, 0, 0], False, 0
    found = _translations_in(path, given, Collector())
    try:
        while not stopped and (batch := list(islice(found, BATCH))):
            with transaction.atomic():
                lock_open(campaign)
                counts = [count + more for count, more in zip(counts, _store(campaign, batch), strict=True)]
            done += len(batch)
            progress(JobProgress(done=done, total=total, unit="translations"))
            stopped = done < total and should_stop()
    finally:
        if counts[0] or counts[1]:
            with transaction.atomic():
                told = {"file": name, "translations": counts[0], "replaced": counts[1]}
                record_activity(actor=actor, action="translations.load", campaign=campaign, about=campaign, data=told)
    return LoadedTranslations(
        stored=counts[0],
        replaced=counts[1],
        unchanged=counts[2],
        passed_over=counts[3],
        report=report,
        stopped=stopped,
    )


def take_out_translations(*, actor: User, campaign: Campaign, language: str) -> int:
    """Remove all translations into a language and return their number.

    Raises `Invalid` if there are none, and `Conflict` for a closed campaign.
    """
    require_changeable(campaign)
    with transaction.atomic():
        lock_open(campaign)
        taken, _ = campaign.translations.filter(language__iexact=language).delete()
        if not taken:
            raise Invalid(
                gettext("There is no translation into “%(language)s”.") % {"language": language[:35]}, field="language"
            )
        data = {"language": language, "translations": taken}
        record_activity(actor=actor, action="translations.take_out", campaign=campaign, about=campaign, data=data)
    return taken


def add_without_text(campaign: Campaign, rows: Sequence[tuple[str, str, str, str]]) -> None:
    """Add (docno, language, tool, sha256) of translations whose texts are not stored here. Needs a transaction."""
    add_rows(DocumentTranslation, COLUMNS, [(campaign.pk, *row, "") for row in rows])


def copy_translations(campaign: Campaign, source: Campaign, docnos: Sequence[str]) -> None:
    """Add the translations of these documents from another campaign. Needs a transaction."""
    rows = source.translations.filter(docno__in=docnos).values_list(*COLUMNS[1:])
    known = set(campaign.translations.filter(docno__in=docnos).values_list("docno", "language"))
    add_rows(DocumentTranslation, COLUMNS, [(campaign.pk, *row) for row in rows if (row[0], row[1]) not in known])


def _for_all(value: str, field: str, limit: int) -> str:
    """Return a value given for all records of a file, with its white space normalised. Raises `Invalid` if it is
    malformed.
    """
    value = " ".join(value.split())
    if wrong := _problem_with(value, field, limit):
        raise Invalid(wrong, field=field)
    return value


def _problem_with(value: str, field: str, limit: int) -> str:
    if len(value) > limit:
        return f"“{field}” has more than {limit} characters. Shorten it."
    if field == "language" and value and not LANGUAGE.fullmatch(value):
        return f"“{value}” is no language. Write its code, such as en, zh or pt-BR."
    return ""


def _translations_in(path: Path, given: tuple[str, str], report: Collector) -> Iterator[Translated]:
    """Yield the translations of a file; problems go to ``report``."""
    try:
        guess = guess_members(path)
    except CannotOpen as error:
        guess = Issue(where="", code="cannot-open", message=f"The file cannot be read: {error}.")
    if isinstance(guess, Issue):
        report(guess)
        return
    seen: set[tuple[str, str]] = set()
    for each in read_members(path, replace(guess.members, media_type="text/plain")):
        if isinstance(each, Issue):
            report(each)
            continue
        language, tool = (" ".join(each.fields.get(name, own).split()) for name, own in zip(FIELDS, given, strict=True))
        text = each.raw.decode("utf-8", "replace")
        found = Translated(docno=each.docno, language=_canonical(language), tool=tool, text=text)
        if wrong := _fault(found, seen):
            report(Issue(where=each.line, code="translation", message=wrong, excerpt=each.docno[:80]))
            continue
        seen.add((found.docno, found.language))
        yield found


def _canonical(language: str) -> str:
    """Return a code as it is stored, whatever its case: pt-BR, zh-Hant. Anything else stays as it is, to be refused."""
    if not LANGUAGE.fullmatch(language):
        return language
    first, *rest = language.split("-")
    cased = (each.upper() if len(each) == 2 else each.title() if len(each) == 4 else each.lower() for each in rest)
    return "-".join((first.lower(), *cased))


FIELDS = ("language", "tool")
"""The fields that a record may have besides docno and text."""


def _fault(found: Translated, seen: set[tuple[str, str]]) -> str:
    """Return what is wrong with a record, or ""."""
    if not found.language:
        return "Nothing says in which language the text is. Give each record a “language”, or name one for the file."
    if not found.text.strip():
        return "The text is empty. Leave the record out, or add its text."
    if (found.docno, found.language) in seen:
        return f"There is a translation into {found.language} of this document before. Leave one of them out."
    return _problem_with(found.language, "language", LANGUAGE_LIMIT) or _problem_with(found.tool, "tool", TOOL_LIMIT)


def _store(campaign: Campaign, batch: list[Translated]) -> tuple[int, int, int, int]:
    """Store one batch; return how many were new, replaced, unchanged, and without a stored document."""
    docnos = {each.docno for each in batch}
    there = set(Document.objects.filter(campaign=campaign, docno__in=docnos).values_list("docno", flat=True))
    rows = campaign.translations.filter(docno__in=docnos)
    before = {
        (docno, language): (tool, sha256, text)
        for docno, language, tool, sha256, text in rows.values_list("docno", "language", "tool", "sha256", "text")
    }
    new, changed, same = [], [], 0
    for each in batch:
        if each.docno not in there:
            continue
        earlier = before.get((each.docno, each.language))
        if earlier is None:
            new.append(each)
        elif earlier == (each.tool, each.sha256, each.text):
            same += 1
        else:
            changed.append(each)
    for each in changed:
        rows.filter(docno=each.docno, language=each.language).delete()
    added = [(campaign.pk, each.docno, each.language, each.tool, each.sha256, each.text) for each in (*new, *changed)]
    add_rows(DocumentTranslation, COLUMNS, added)
    return len(new), len(changed), same, len(batch) - len(new) - len(changed) - same
