"""API of translations of documents: list, load and remove them."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.documents.domain.start_jobs import start_translations
from assess.documents.domain.translations import LANGUAGE_LIMIT, TOOL_LIMIT, take_out_translations
from assess.documents.models import DocumentTranslation
from assess.jobs.api import JobOut
from assess.web.api import SeatViewSet, UploadIn, checked, filter_parameters, narrowed


class TranslationOut(serializers.ModelSerializer[DocumentTranslation]):
    """A translation of a document: its language, the tool that made it, and the digest of its text."""

    class Meta:
        model = DocumentTranslation
        fields = ["docno", "language", "tool", "sha256"]


class TranslationsIn(UploadIn):
    """A file of records with docno and text. A record's own language and tool take precedence over those given here."""

    language = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=LANGUAGE_LIMIT,
        help_text="The code of a language, where records have none.",
    )
    tool = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=TOOL_LIMIT,
        help_text="What translated the texts, where records do not say. Assessors see it.",
    )


class TranslationViewSet(SeatViewSet):
    """Translations of documents, for organisers."""

    serializer_class = TranslationOut
    parser_classes = [MultiPartParser]

    @extend_schema(responses=TranslationOut(many=True), parameters=filter_parameters("language"))
    def list(self, request: Request, slug: str) -> Response:
        """List the documents' translations, by docno and language."""
        rows = self.seat(Role.ORGANISER).campaign.translations.defer("text").order_by("docno", "language")
        return self.paged(narrowed(request, rows, {"language": "language"}), TranslationOut)

    @extend_schema(request=TranslationsIn, responses={201: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Store the file; the translations of stored documents are loaded in the background."""
        campaign = self.seat(Role.ORGANISER).campaign
        work = start_translations(actor=self.user, campaign=campaign, **checked(TranslationsIn, request))
        return Response(JobOut(work).data, status=status.HTTP_201_CREATED)

    @extend_schema(
        responses={204: None},
        parameters=[OpenApiParameter("language", OpenApiTypes.STR, required=True)],
    )
    def destroy(self, request: Request, slug: str) -> Response:
        """Remove all translations into a language. The documents stay."""
        language = request.query_params.get("language", "")
        take_out_translations(actor=self.user, campaign=self.seat(Role.ORGANISER).campaign, language=language)
        return Response(status=status.HTTP_204_NO_CONTENT)
