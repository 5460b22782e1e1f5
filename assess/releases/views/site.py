"""The pages of the whole site's long jobs: a release loaded as a new campaign, and backups.

There is no page that restores a backup: the server must be stopped for it, so it is a command (`manage.py restore`).
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.base.errors import Refused
from assess.releases.access import access_backups, access_imports, access_site_job
from assess.releases.domain.site_jobs import remove_backup, start_backup, start_import
from assess.releases.downloads import backup_download
from assess.releases.forms import ImportForm
from assess.releases.models import SiteJob
from assess.web.page import render_page
from assess.web.requests import add_refusal, person_of
from assess.web.table import make_listing

JOBS = "assess/releases/parts/site_jobs.html"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def imports(request: HttpRequest) -> HttpResponse:
    """List the imports that this person asked for. A POST starts another, which loads a release as a new campaign."""
    person = person_of(request)
    shown = access_imports(person)
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            start_import(actor=person, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(request, gettext("The release is being loaded. Nobody sees it before all of it is there."))
            return redirect("imports")
    return _page(request, "assess/releases/imports.html", shown, form=form, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def backups(request: HttpRequest) -> HttpResponse:
    """List the backups that were made here and are not removed. A POST starts making another in the background."""
    person = person_of(request)
    shown = access_backups(person)
    if request.method == "POST":
        start_backup(actor=person)
        messages.success(request, gettext("The backup is being made, while everybody works on."))
        return redirect("backups")
    return _page(request, "assess/releases/backups.html", shown)


@login_required
@require_safe
def backup_file(request: HttpRequest, job_id: int) -> FileResponse:
    """Return a backup as `manage.py restore` takes it. Who took it is recorded."""
    person = person_of(request)
    return backup_download(person, access_site_job(access_backups(person), job_id))


@login_required
@require_POST
def backup_remove(request: HttpRequest, job_id: int) -> HttpResponse:
    """Remove a backup and its file, if the box that says so is ticked."""
    person = person_of(request)
    job = access_site_job(access_backups(person), job_id)
    if request.POST.get("sure") != "yes":
        messages.error(request, gettext("Nothing was removed. Tick the box if the backup may be deleted."))
        return redirect("backups")
    remove_backup(actor=person, job=job)
    messages.success(request, gettext("The backup is removed."))
    return redirect("backups")


def _page(
    request: HttpRequest, template: str, shown: QuerySet[SiteJob], status: int = 200, **values: Any
) -> HttpResponse:
    """Show the page, or only its table for a request of the table itself, which refreshes while a job is under way."""
    jobs = shown.select_related("started_by")
    listing = make_listing(request, jobs, sorts={"at": "created_at"}, default="-at")
    busy = any(job.state in SiteJob.UNDER_WAY for job in listing.page)
    asked = JOBS if getattr(request, "htmx", False) else template
    return render_page(request, asked, listing=listing, busy=busy, status=status, **values)
