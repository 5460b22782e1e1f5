"""The page of the latest background jobs: their progress, stopping them, and starting them again."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from assess.campaigns.seats import access_as_organiser
from assess.jobs.access import access_job
from assess.jobs.domain import restart_job, stop_job
from assess.jobs.kinds import CLUSTERS, COPY_DOCUMENTS, PREPARE, TAKE_OUT
from assess.jobs.models import Job
from assess.jobs.queries import shown_jobs
from assess.web.page import JOB_ENDED, render_page

OF_DOCUMENTS = ("documents", COPY_DOCUMENTS, TAKE_OUT, PREPARE, CLUSTERS, "docnos")


@login_required
@require_safe
def jobs(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the latest background jobs, as a page or as the part that refreshes itself.

    The part's response includes an event if a watched job has ended.
    """
    seat = access_as_organiser(request.user, slug)
    template = "assess/jobs/parts/jobs.html" if getattr(request, "htmx", False) else "assess/jobs/jobs.html"
    shown = shown_jobs(seat.campaign)
    busy = {str(job.pk) for job in shown if job.is_busy}
    response = render_page(request, template, seat, jobs=shown, busy=bool(busy))
    if set(request.GET.getlist("watched")) - busy:
        response["HX-Trigger"] = JOB_ENDED
    return response


@login_required
@require_POST
def job_stop(request: HttpRequest, slug: str, job_id: int) -> HttpResponse:
    """Stop a job: at once if nobody is doing it, otherwise after its current step."""
    seat = access_as_organiser(request.user, slug)
    job = stop_job(access_job(seat, job_id))
    if job.state == Job.State.RUNNING:
        messages.success(request, gettext("The job stops after the present step. What it stored stays."))
    else:
        messages.success(
            request, gettext("The job is %(state)s. What it stored stays.") % {"state": job.get_state_display()}
        )
    return redirect("documents" if job.kind in OF_DOCUMENTS else "works", slug)


@login_required
@require_POST
def job_restart(request: HttpRequest, slug: str, job_id: int) -> HttpResponse:
    """Start a job again; it continues where it left off."""
    seat = access_as_organiser(request.user, slug)
    job = restart_job(actor=seat.user, job=access_job(seat, job_id))
    messages.success(request, gettext("The job is started again and goes on where it was."))
    return redirect("documents" if job.kind in OF_DOCUMENTS else "works", slug)
