"""API of documents: list them, load them in the background, search them, and prepare again the pages that another
version of the site made.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.documents import access as documents_access
from assess.documents.access import access_search
from assess.documents.domain.preparing import start_preparing
from assess.documents.domain.records import FirstDocument, RecordsPreview, keep_records, preview_records, start_records
from assess.documents.domain.start_jobs import start_documents, start_taking_out
from assess.documents.models import Document, DocumentBody
from assess.documents.queries.bodies import raw_of
from assess.documents.queries.dependent_rows import DependentRows, TakingOut, taking_out
from assess.documents.queries.documents import with_older_pages
from assess.documents.queries.search import PAGE_LIMIT, Hit, SearchPage
from assess.jobs.api import JobOut
from assess.web.api import (
    IssueOut,
    SeatViewSet,
    UploadIn,
    checked,
    filter_parameters,
    narrowed,
    query_choice,
    query_number,
    query_text,
)
from assess.web.shapes import DataSerializer
from scoring.collections.members import FORMS, HEADERS, MEDIA_TYPES, Members
from scoring.formats.document_facts import date_of, source_of

ORGANISER = Role.ORGANISER
READERS = (ORGANISER, Role.ASSESSOR, Role.ADJUDICATOR)


class DocumentOut(serializers.ModelSerializer[Document]):
    """A document, with the results of preparing it for display."""

    class Meta:
        model = Document
        fields = [
            "docno",
            "title",
            "url",
            "media_type",
            "charset",
            "language",
            "size",
            "sha256",
            "status",
            "note",
            "source_file",
        ]
        extra_kwargs = {
            "language": {"help_text": 'ISO 639; "und" where the text is too short to tell, "" until it is indexed.'}
        }


class DocumentTextOut(DocumentOut):
    """A document with its viewable text, in which spans count code points."""

    text = serializers.CharField(source="body.text", read_only=True)
    date = serializers.SerializerMethodField(help_text="As the collection writes it.")
    source = serializers.SerializerMethodField(  # type: ignore[assignment]
        help_text="Where it appeared: a paper, a journal."
    )
    fields = serializers.DictField(  # type: ignore[assignment]
        child=serializers.CharField(), help_text="All that the collection says of it beside its text, by name."
    )

    class Meta(DocumentOut.Meta):
        fields = [*DocumentOut.Meta.fields, "date", "source", "fields", "text_sha256", "text_version", "text"]

    def get_date(self, document: Document) -> str:
        """Return the date that the collection gives."""
        return date_of(document.fields)

    def get_source(self, document: Document) -> str:
        """Return the source that the collection names."""
        return source_of(document.fields)


class DocumentsIn(UploadIn):
    """A collection file, and which of its documents to store.

    `named` are those that the campaign needs now, `ranked` also those that a later pool may need, `all` every document.
    """

    wanted = serializers.ChoiceField(["named", "ranked", "all"], required=False, default="named")


class DependentRowsOut(DataSerializer):
    """Records that prevent documents from being removed: how many rows of one kind depend on them."""

    class Meta:
        of = DependentRows
        fields = ("what", "count")


@extend_schema_serializer(many=False)
class TakingOutOut(DataSerializer):
    """The effect of removing the documents of a file or folder. The removal is refused if there are any holds."""

    class Meta:
        of = TakingOut
        fields = ("source_file", "documents", "items", "holds")
        sources = {"source_file": "source"}


class TakingOutIn(serializers.Serializer[Any]):
    """The file or folder from which the documents were loaded, as in a document's `source_file`."""

    source_file = serializers.CharField(max_length=500)


class SnippetOut(serializers.Serializer[Any]):
    """A piece of a snippet, and whether it matches the query."""

    text = serializers.CharField()
    is_match = serializers.BooleanField()

    def to_representation(self, instance: tuple[str, bool]) -> dict[str, Any]:
        """Return the pair (text, is_match) as an object."""
        text, is_match = instance
        return {"text": text, "is_match": is_match}


class HitOut(DataSerializer):
    """A document that a search found."""

    snippet = SnippetOut(many=True)

    class Meta:
        of = Hit
        fields = ("rank", "docno", "title", "url", "date", "source", "score", "is_stored", "snippet")


@extend_schema_serializer(many=False)
class SearchOut(DataSerializer):
    """One page of a ranking. `every_word` is false if no document has all words of the query.

    `searched_by` names the service that searched the whole collection; it is empty if the site searched its own
    documents. A hit whose `is_stored` is false can't be opened.
    """

    class Meta:
        of = SearchPage
        fields = ("query", "searched_by", "total", "offset", "next_offset", "every_word", "hits")


class DocumentViewSet(SeatViewSet):
    """The campaign's documents, for organisers and assessors."""

    serializer_class = DocumentOut
    parser_classes = [MultiPartParser]

    @extend_schema(
        responses=DocumentOut(many=True),
        parameters=filter_parameters("status", "media_type", "q"),
    )
    def list(self, request: Request, slug: str) -> Response:
        """List the stored documents."""
        rows = documents_access.access_documents(self.seat(*READERS)).defer("fields")
        fields = {"status": "status", "media_type": "media_type"}
        return self.paged(narrowed(request, rows, fields, ("docno", "title", "url")), DocumentOut)

    @extend_schema(request=DocumentsIn, responses={201: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Store the file; its documents are loaded in the background."""
        campaign = self.seat(ORGANISER).campaign
        values = checked(DocumentsIn, request)
        work = start_documents(actor=self.user, campaign=campaign, files=[values["file"]], wanted=values["wanted"])
        return Response(JobOut(work).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=DocumentTextOut)
    def retrieve(self, request: Request, slug: str, docno: str) -> Response:
        """Return one document with its viewable text."""
        return Response(DocumentTextOut(documents_access.access_document(self.seat(*READERS), docno)).data)

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def raw(self, request: Request, slug: str, docno: str) -> HttpResponse:
        """Return the document's bytes as they were loaded, as a file to download."""
        found = documents_access.access_document(self.seat(*READERS), docno)
        body = DocumentBody.objects.get(document=found)
        response = HttpResponse(raw_of(body), content_type="application/octet-stream")
        response["Content-Disposition"] = "attachment"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response


class RecordsIn(DocumentsIn):
    """A file of records, and the names of their fields, as in a collection file. Names left out are guessed."""

    preset = serializers.CharField(required=False, help_text="The names of a known collection.")
    form = serializers.ChoiceField(FORMS, required=False)
    id = serializers.CharField(required=False, max_length=200)
    text = serializers.CharField(required=False, max_length=500, help_text="Several with commas between are joined.")
    title = serializers.CharField(required=False, max_length=200)
    url = serializers.CharField(required=False, max_length=200)
    date = serializers.CharField(required=False, max_length=200)
    media_type = serializers.ChoiceField(MEDIA_TYPES, required=False)
    listed = serializers.CharField(
        required=False, max_length=200, help_text="The member of each object that holds its list of records."
    )
    header = serializers.ChoiceField(
        HEADERS, required=False, help_text="Whether the first line of a table holds the names of its columns."
    )


class MembersOut(DataSerializer):
    """The form of a file of records, and the names of its fields."""

    class Meta:
        of = Members
        fields = ("form", "id", "text", "title", "url", "date", "media_type", "listed", "header")


class FirstDocumentOut(DataSerializer):
    """A document as it would be stored; `text` is the beginning of its viewable text."""

    class Meta:
        of = FirstDocument
        fields = ("docno", "title", "url", "date", "media_type", "status", "note", "text", "is_cut")


@extend_schema_serializer(many=False)
class RecordsPreviewOut(DataSerializer):
    """The documents that a file of records contains, read with these field names. Nothing is stored."""

    issues = IssueOut(many=True)

    class Meta:
        of = RecordsPreview
        fields = ("members", "names", "further", "preset", "documents", "issues")


class RecordsViewSet(SeatViewSet):
    """Documents from JSON, CSV, tab-separated columns, Parquet and WARC, for organisers."""

    serializer_class = JobOut
    parser_classes = [MultiPartParser]

    @extend_schema(request=RecordsIn, responses=RecordsPreviewOut)
    def look(self, request: Request, slug: str) -> Response:
        """Return the first three documents as they would be stored, with given or guessed field names."""
        campaign, values = self.seat(ORGANISER).campaign, checked(RecordsIn, request)
        kept = keep_records(campaign=campaign, file=values["file"])
        return Response(RecordsPreviewOut(preview_records(kept.path, kept.name, values)).data)

    @extend_schema(request=RecordsIn, responses={201: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Load the documents in the background. If one record can't be read, nothing is stored."""
        campaign, values = self.seat(ORGANISER).campaign, checked(RecordsIn, request)
        kept = keep_records(campaign=campaign, file=values["file"])
        work = start_records(actor=self.user, campaign=campaign, kept=kept, wanted=values["wanted"], given=values)
        return Response(JobOut(work).data, status=status.HTTP_201_CREATED)


class TakingOutViewSet(SeatViewSet):
    """Removing documents that were loaded from the wrong file, for organisers."""

    serializer_class = TakingOutOut
    pagination_class = None

    @extend_schema(
        responses=TakingOutOut,
        parameters=[
            OpenApiParameter("source_file", OpenApiTypes.STR, required=True, description="The file or folder.")
        ],
    )
    def list(self, request: Request, slug: str) -> Response:
        """Return the effect of removing the documents of a file or folder, and what prevents it."""
        return Response(
            TakingOutOut(taking_out(self.seat(ORGANISER).campaign, query_text(request, "source_file"))).data
        )

    @extend_schema(request=TakingOutIn, responses={201: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Remove the documents of the file or folder in the background, as one job."""
        campaign = self.seat(ORGANISER).campaign
        source = checked(TakingOutIn, request)["source_file"]
        work = start_taking_out(actor=self.user, campaign=campaign, source=source)
        return Response(JobOut(work).data, status=status.HTTP_201_CREATED)


class SearchViewSet(SeatViewSet):
    """Search in the viewable text of the campaign's documents."""

    serializer_class = SearchOut
    pagination_class = None

    @extend_schema(
        responses=SearchOut,
        parameters=[
            OpenApiParameter("q", OpenApiTypes.STR, description='Words, "phrases", and -words that must not occur.'),
            OpenApiParameter("limit", OpenApiTypes.INT, description=f"At most {PAGE_LIMIT}."),
            OpenApiParameter("offset", OpenApiTypes.INT),
            OpenApiParameter("own", OpenApiTypes.STR, description="1: not by a service, only in what is stored."),
        ],
    )
    def list(self, request: Request, slug: str) -> Response:
        """List the documents that match, best first, with snippets."""
        seat = self.seat()
        backend = access_search(seat, own=query_choice(request, "own", ("0", "1")) == "1")
        limit = query_number(request, "limit", 20, least=1, most=PAGE_LIMIT)
        offset = query_number(request, "offset", 0, most=999_999)
        found = backend.search(seat.campaign, query_text(request, "q"), limit=limit, offset=offset)
        return Response(SearchOut(found).data)


@extend_schema_serializer(many=False)
class PreparedOut(serializers.Serializer[Any]):
    """How many documents are stored, and how many of them have a page that another version of the site made."""

    documents = serializers.IntegerField(read_only=True)
    older_pages = serializers.IntegerField(read_only=True)


class PreparedViewSet(SeatViewSet):
    """Preparing again, for organisers, the pages that another version of the site made."""

    serializer_class = PreparedOut
    pagination_class = None

    @extend_schema(responses=PreparedOut)
    def list(self, request: Request, slug: str) -> Response:
        """Return how many documents are stored, and how many have a page that another version of the site made."""
        campaign = self.seat(Role.ORGANISER).campaign
        numbers = {"documents": campaign.documents.count(), "older_pages": with_older_pages(campaign).count()}
        return Response(PreparedOut(numbers).data)

    @extend_schema(request=None, responses={201: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Prepare, in the background and as one job, all pages that another version of the site made. The texts stay as
        they are.
        """
        work = start_preparing(actor=self.user, campaign=self.seat(Role.ORGANISER).campaign)
        return Response(JobOut(work).data, status=status.HTTP_201_CREATED)
