"""The pages of near-identical documents: finding them in the background, the clusters, and one cluster's documents."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from assess.campaigns.seats import Seat, access_as_organiser
from assess.documents.access import access_cluster
from assess.documents.domain.clusters import start_clustering
from assess.documents.models import Document
from assess.documents.queries.clusters import cluster_counts, clusters_of, named_clusters, text_beginning
from assess.jobs.queries import shown_jobs
from assess.web.forms import LikenessForm
from assess.web.page import render_page
from assess.web.table import WORDS_LIMIT, Listing

PER_PAGE = 25


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def document_clusters(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the campaign's clusters, with the form that finds them again in the background."""
    seat = access_as_organiser(request.user, slug)
    form = LikenessForm(request.POST or None, initial={"likeness": settings.ASSAY_NEAR_IDENTICAL})
    if request.method == "POST" and form.is_valid():
        start_clustering(actor=seat.user, campaign=seat.campaign, likeness=form.cleaned_data["likeness"])
        messages.success(request, gettext("Near-identical documents are being looked for in the background."))
        return redirect("document-clusters", slug)
    return _list(request, seat, form)


def _list(request: HttpRequest, seat: Seat, form: LikenessForm) -> HttpResponse:
    words = request.GET.get("q", "").replace("\x00", "")[:WORDS_LIMIT].strip()
    jobs = shown_jobs(seat.campaign)
    page = Paginator(clusters_of(seat.campaign, topic=words), PER_PAGE).get_page(request.GET.get("page"))
    return render_page(
        request,
        "assess/documents/document_clusters.html",
        seat,
        clusters=named_clusters(list(page.object_list)),
        listing=Listing(page, "", words),
        counts=cluster_counts(seat.campaign),
        form=form,
        jobs=jobs,
        busy=any(job.is_busy for job in jobs),
        status=422 if form.errors else 200,
    )


@login_required
@require_safe
def document_cluster(request: HttpRequest, slug: str, number: str, cluster: int) -> HttpResponse:
    """Show the documents of one cluster, and the texts of two of them side by side: those that ``left`` and ``right``
    name, or else the first two.
    """
    seat = access_as_organiser(request.user, slug)
    topic, found = access_cluster(seat, number, cluster)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    documents = list(page.object_list)
    left = _chosen(found, request.GET.get("left", "")) or found[0]
    right = _chosen(found, request.GET.get("right", "")) or found.exclude(pk=left.pk)[0]
    return render_page(
        request,
        "assess/documents/document_cluster.html",
        seat,
        topic=topic,
        cluster=cluster,
        documents=documents,
        listing=Listing(page, "", ""),
        left=left,
        right=right,
        compared=[(each, *text_beginning(each)) for each in (left, right)],
    )


def _chosen(found: QuerySet[Document], docno: str) -> Document | None:
    """Return the document of the cluster with this docno, or None."""
    return found.filter(docno=docno.replace("\x00", "")).first() if docno else None
