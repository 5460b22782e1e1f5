"""The page of a campaign's documents: the stored ones, forms to load more, lists of docnos and of top documents."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.base.errors import BadFile, Refused
from assess.base.numbers import grouped
from assess.base.unpacked import open_upload
from assess.campaigns.models import Part, Role
from assess.campaigns.queries import track_of
from assess.campaigns.seats import Seat, access_as_organiser, access_seat
from assess.documents.access import access_documents
from assess.documents.domain.lists import empty_docnos, load_document_list, runs_checked_by_docnos
from assess.documents.domain.preparing import start_preparing
from assess.documents.domain.start_jobs import start_docnos, start_documents, start_taking_out, start_translations
from assess.documents.domain.translations import take_out_translations
from assess.documents.models import Document
from assess.documents.queries.clusters import cluster_counts
from assess.documents.queries.dependent_rows import taking_out
from assess.documents.queries.documents import (
    document_counts,
    list_lines,
    listed_topics,
    newest_sources,
    package_depth,
    package_of_top_documents,
)
from assess.documents.queries.translations import translation_counts
from assess.jobs.queries import shown_jobs
from assess.topics.models import ListedDocument
from assess.user_agreements.access import require_open_to
from assess.web.forms import DocnosForm, DocumentsForm, SourceForm, TranslationsForm, UploadForm
from assess.web.page import download, render_page
from assess.web.requests import add_refusal, posted_text
from assess.web.table import Column, choices_filter, csv_response, make_table

COLUMNS = (
    Column(key="docno", label=gettext_lazy("Docno"), order="docno"),
    Column(key="title", label=gettext_lazy("Title"), order="title"),
    Column(key="status", label=gettext_lazy("Shows"), order="status"),
    Column(key="size", label=gettext_lazy("Bytes"), order="size", number=True),
    Column(key="language", label=gettext_lazy("Language"), order="language"),
    Column(key="type", label=gettext_lazy("Type"), value=lambda document: document.media_type, order="media_type"),
    Column(key="source", label=gettext_lazy("From"), value=lambda document: document.source_file, order="source_file"),
)

FILTERS = (choices_filter("status", gettext_lazy("Shows"), Document.Status),)


@login_required
@require_safe
def documents(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the stored documents, and the forms to load more."""
    return _page(request, access_as_organiser(request.user, slug))


@login_required
@require_POST
def documents_load(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Store the files and start one job that loads their documents."""
    seat = access_as_organiser(request.user, slug)
    form = DocumentsForm(request.POST, request.FILES, auto_id="documents_%s")
    if not form.is_valid():
        return _page(request, seat, documents_form=form)
    files = form.cleaned_data["file"]
    try:
        start_documents(actor=seat.user, campaign=seat.campaign, files=files, wanted=form.cleaned_data["wanted"])
    except BadFile as refused:
        return _page(request, seat, documents_form=form, refused=refused)
    names = ", ".join(file.name for file in files)
    messages.success(
        request,
        gettext("%(names)s: received completely. The documents are being loaded in the background.") % {"names": names},
    )
    return redirect("documents", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def documents_take_out(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the effect of removing the documents of a file or folder; a POST starts the job."""
    seat = access_as_organiser(request.user, slug)
    form = SourceForm(request.POST or request.GET)
    source = form.cleaned_data["source"] if form.is_valid() else ""
    if request.method == "POST" and source:
        start_taking_out(actor=seat.user, campaign=seat.campaign, source=source)
        messages.success(
            request, gettext("The documents of %(source)s are being taken out in the background.") % {"source": source}
        )
        return redirect("documents", slug)
    shown: dict[str, Any] = {"found": taking_out(seat.campaign, source) if source else None}
    return render_page(
        request,
        "assess/documents/documents_take_out.html",
        seat,
        **shown,
        sources=newest_sources(seat.campaign),
        source=source,
    )


@login_required
@require_POST
def documents_prepare(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Start a job that prepares all pages that another version of the site made."""
    seat = access_as_organiser(request.user, slug)
    start_preparing(actor=seat.user, campaign=seat.campaign)
    messages.success(
        request, gettext("The pages are being prepared again in the background. Texts, fields and judgments stay.")
    )
    return redirect("documents", slug)


@login_required
@require_POST
def translations_load(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Store a file of translations and start a job that loads it."""
    seat = access_as_organiser(request.user, slug)
    form = TranslationsForm(request.POST, request.FILES, auto_id="translations_%s")
    if not form.is_valid():
        return _page(request, seat, translations_form=form)
    given = form.cleaned_data
    try:
        start_translations(actor=seat.user, campaign=seat.campaign, **given)
    except Refused as refused:
        add_refusal(form, refused)
        return _page(request, seat, translations_form=form)
    messages.success(
        request,
        gettext("%(name)s was received completely. It is being loaded in the background.")
        % {"name": given["file"].name},
    )
    return redirect("documents", slug)


@login_required
@require_POST
def translations_take_out(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Remove the translations into a language."""
    seat = access_as_organiser(request.user, slug)
    language = posted_text(request, "language")
    taken = take_out_translations(actor=seat.user, campaign=seat.campaign, language=language)
    messages.success(
        request,
        ngettext(
            "%(number)s translation taken out. The documents stay.",
            "%(number)s translations taken out. The documents stay.",
            taken,
        )
        % {"number": grouped(taken)},
    )
    return redirect("documents", slug)


@login_required
@require_POST
def docnos_load(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Store the list of docnos and start a job that loads it."""
    seat = access_as_organiser(request.user, slug)
    form = DocnosForm(request.POST, request.FILES, auto_id="docnos_%s")
    if not form.is_valid():
        return _page(request, seat, docnos_form=form)
    file = form.cleaned_data["file"]
    try:
        start_docnos(actor=seat.user, campaign=seat.campaign, file=file, list_name=form.cleaned_data["name"])
    except Refused as refused:
        return _page(request, seat, docnos_form=form, refused=refused)
    messages.success(
        request,
        gettext("%(name)s was received completely. Its docnos are being loaded in the background.")
        % {"name": file.name},
    )
    return redirect("documents", slug)


@login_required
@require_POST
def docnos_empty(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Remove one list of valid docnos, or all lists."""
    seat = access_as_organiser(request.user, slug)
    name = posted_text(request, "name")
    removed = empty_docnos(actor=seat.user, campaign=seat.campaign, list_name=name)
    left = seat.campaign.docno_lists.filter(in_place=True).exists()
    rest = gettext("The other lists stay.") if left else gettext("Docnos of runs are not checked.")
    messages.success(
        request,
        ngettext("%(removed)s docno was taken out. %(rest)s", "%(removed)s docnos were taken out. %(rest)s", removed)
        % {"removed": grouped(removed), "rest": rest},
    )
    return redirect("documents", slug)


@login_required
@require_POST
def document_list_load(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Load the document lists of targets, all or none."""
    seat = access_as_organiser(request.user, slug)
    form = UploadForm(request.POST, request.FILES, auto_id="list_%s")
    if not form.is_valid():
        return _page(request, seat, list_form=form)
    file = form.cleaned_data["file"]
    try:
        with open_upload(file, name=file.name) as opened:
            loaded = load_document_list(actor=seat.user, campaign=seat.campaign, stream=opened.stream, name=file.name)
    except Refused as refused:
        return _page(request, seat, list_form=form, refused=refused)
    messages.success(
        request,
        gettext("%(name)s: %(documents)s listed for %(targets)s; %(unchanged)s unchanged.")
        % {
            "name": file.name,
            "documents": ngettext("%(count)s document", "%(count)s documents", loaded.documents)
            % {"count": grouped(loaded.documents)},
            "targets": ngettext("%(count)s target", "%(count)s targets", loaded.targets)
            % {"count": grouped(loaded.targets)},
            "unchanged": grouped(loaded.unchanged),
        },
    )
    return redirect("documents", slug)


@login_required
@require_safe
def document_list_file(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Return the document lists of all targets in their own format, for organisers and participants."""
    seat = access_seat(request.user, slug, Role.ORGANISER, Role.PARTICIPANT)
    require_open_to(seat, Part.LISTS)
    return download(list_lines(seat.campaign), name=f"{seat.campaign.slug}-document-lists.txt")


@login_required
@require_safe
def documents_package(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Return the texts of every target's top documents as one zip, for organisers and participants."""
    seat = access_seat(request.user, slug, Role.ORGANISER, Role.PARTICIPANT)
    require_open_to(seat, Part.PACKAGE)
    depth = package_depth(seat.campaign)
    pieces = package_of_top_documents(seat.campaign, depth=depth)
    return download(pieces, name=f"{seat.campaign.slug}-top{depth}.zip", content_type="application/zip")


def _page(
    request: HttpRequest,
    seat: Seat,
    *,
    documents_form: DocumentsForm | None = None,
    docnos_form: DocnosForm | None = None,
    list_form: UploadForm | None = None,
    translations_form: TranslationsForm | None = None,
    refused: Refused | None = None,
) -> HttpResponseBase:
    rows = access_documents(seat).defer("fields")
    table = make_table(request, rows, columns=COLUMNS, filters=FILTERS, search=("docno", "title", "url"), order="docno")
    if table.wants_csv:
        return csv_response(table, name="documents.csv")
    forms = (documents_form, docnos_form, list_form, translations_form)
    shown = shown_jobs(seat.campaign)
    wrong = any(form is not None and form.errors for form in forms)
    return render_page(
        request,
        "assess/documents/documents.html",
        seat,
        table=table,
        counts=document_counts(seat.campaign),
        clusters=cluster_counts(seat.campaign),
        formats=track_of(seat.campaign).document_formats,
        docno_lists=seat.campaign.docno_lists.filter(in_place=True),
        checked=runs_checked_by_docnos(seat.campaign),
        listed=ListedDocument.objects.filter(topic__campaign=seat.campaign).count(),
        listed_topics=listed_topics(seat.campaign).count(),
        documents_form=documents_form or DocumentsForm(auto_id="documents_%s"),
        docnos_form=docnos_form or DocnosForm(auto_id="docnos_%s"),
        list_form=list_form or UploadForm(auto_id="list_%s"),
        translations=translation_counts(seat.campaign),
        translations_form=translations_form or TranslationsForm(auto_id="translations_%s"),
        refused=refused,
        issues=refused.issues if isinstance(refused, BadFile) else (),
        status=refused.status if refused else 422 if wrong else 200,
        jobs=shown,
        busy=any(work.is_busy for work in shown),
    )
