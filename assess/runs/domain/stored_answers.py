"""What an accepted run returned, as it was stored then, for kinds of run files whose texts are cut into sentences.

Cutting again takes ten milliseconds an answer, and after an update of the library its sentences might be others than
those that were judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from django.db.models import QuerySet

from assess.protocol import CitationRecord, ItemRecord, RunContent, SegmentRecord
from assess.runs.models import Citation, Response, Segment


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredAnswers(RunContent):
    """The content of one accepted run, with the segments and whole responses that were stored when it was accepted.
    ``run_id`` is the run's id, and ``topics`` are the numbers of the topics to read (None: all).

    What is displayed with items (`item_fields`) is left out, since no score depends on it.
    """

    run_id: int
    topics: frozenset[str] | None = None

    def segments(self) -> Iterator[SegmentRecord]:
        """Yield the stored segments, in file order in each topic. Two queries."""
        cited = self._citations()
        columns = ("pk", "response__topic__number", "ordinal", "text", "docno", "item__kind", "item__key", "line")
        rows = Segment.objects.filter(response__in=self._responses()).order_by("response_id", "ordinal")
        for pk, topic, ordinal, text, docno, kind, key, line in rows.values_list(*columns):
            yield SegmentRecord(
                topic=topic,
                ordinal=ordinal,
                text=text,
                docno=docno,
                item_kind=kind or "",
                item_key=key or "",
                line=line,
                citations=cited.get(pk, ()),
            )

    def responses(self) -> Iterator[ItemRecord]:
        """Yield the items of the stored whole responses. One query."""
        rows = self._responses().filter(item__isnull=False).order_by("pk")
        for topic, kind, key, text in rows.values_list("topic__number", "item__kind", "item__key", "item__text"):
            yield ItemRecord(topic=topic, kind=kind, key=key, text=text)

    def _responses(self) -> QuerySet[Response]:
        found = Response.objects.filter(run=self.run_id)
        return found if self.topics is None else found.filter(topic__number__in=self.topics)

    def _citations(self) -> dict[int, tuple[CitationRecord, ...]]:
        """Return the citations of each segment that has any, by the segment's id."""
        rows = Citation.objects.filter(segment__response__in=self._responses()).order_by("segment_id", "ordinal")
        columns = ("segment_id", "ordinal", "docno", "item__kind", "item__key")
        return {
            segment: tuple(
                CitationRecord(docno=docno, ordinal=ordinal, item_kind=kind or "", item_key=key or "")
                for _, ordinal, docno, kind, key in cited
            )
            for segment, cited in groupby(rows.values_list(*columns), key=itemgetter(0))
        }
