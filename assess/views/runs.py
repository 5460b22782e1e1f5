"""Runs: for organisers all of them, for participants their team's."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from assess.domain.access import Seat, access_run, access_runs, access_seat
from assess.domain.errors import Refused
from assess.domain.files import open_file
from assess.domain.run_preview import preview_run
from assess.domain.runs import check_run, submission_of, submit_run, withdraw_run
from assess.models import Campaign, Role, Run
from assess.protocol import RunForm
from assess.queries.runs import runs_with_sizes
from assess.queries.tracks import track_of
from assess.views.forms_desk import SubmissionForm
from assess.views.page import render_page
from assess.views.table import Column, Filter, Option, csv_response, make_table, rows_response

REPORT_LIMIT = 10_000  # problems of each severity in a downloaded report
MEMBERS = (Role.ORGANISER, Role.PARTICIPANT)

COLUMNS = (
    Column(key="tag", label="Run", value=lambda run: run.tag, order="tag"),
    Column(key="team", label="Team", value=lambda run: run.team, order="team"),
    Column(key="priority", label="Priority", value=lambda run: run.priority, order="priority", number=True),
    Column(
        key="made",
        label="Made",
        value=lambda run: "automatic" if run.automatic else "manual",
        order="automatic",
    ),
    Column(key="state", label="State", value=lambda run: run.state, order="state"),
    Column(key="errors", label="Errors", value=lambda run: run.errors, order="errors", number=True),
    Column(key="warnings", label="Warnings", value=lambda run: run.warnings, order="warnings", number=True),
    Column(key="answered", label="Topics", value=lambda run: run.answered, order="answered", number=True),
    Column(key="strings", label="Strings", value=lambda run: run.strings, order="strings", number=True),
    Column(
        key="submitted", label="Submitted", value=lambda run: run.submitted_at.isoformat(timespec="seconds"), order="id"
    ),
)

FILTERS = (
    Filter(
        key="state",
        label="State",
        options=tuple(Option(value=state.value, label=state.label, where=Q(state=state.value)) for state in Run.State),
    ),
    Filter(
        key="made",
        label="Made",
        options=(
            Option(value="automatic", label="automatic", where=Q(automatic=True)),
            Option(value="manual", label="manual", where=Q(automatic=False)),
        ),
    ),
)


@login_required
@require_safe
def runs(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The runs that this person may see."""
    seat = access_seat(request.user, slug, *MEMBERS)
    rows = runs_with_sizes(access_runs(seat))
    table = make_table(request, rows, columns=COLUMNS, filters=FILTERS, search=("tag", "team"), order="tag")
    if table.wants_csv:
        return csv_response(table, name="runs.csv")
    return render_page(request, "assess/runs.html", seat, table=table, may_submit=_may_submit(seat))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Submit a run, or only check it."""
    seat = access_seat(request.user, slug, *MEMBERS)
    key = request.POST.get("submission", "") or request.GET.get("submission", "")
    submission = submission_of(seat.campaign, key)
    teams = None if seat.is_organiser else seat.teams
    bound = request.method == "POST"
    form = SubmissionForm(
        request.POST if bound else None, request.FILES if bound else None, submission=submission, teams=teams
    )
    report, preview, refused = None, None, None
    if bound and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            if "check" in request.POST:
                report = check_run(campaign=seat.campaign, stream=file, submission=submission.key, form=form.run_form())
                file.seek(0)
                preview = preview_run(
                    campaign=seat.campaign,
                    stream=file,
                    report=report,
                    submission=submission.key,
                    form=form.run_form(),
                )
            else:
                return _submitted(request, seat, form)
        except Refused as error:
            refused = error
    return render_page(
        request,
        "assess/run_new.html",
        seat,
        form=form,
        submission=submission,
        submissions=[
            each for each in track_of(seat.campaign).submissions if seat.is_organiser or not each.for_organisers
        ],
        report=report,
        preview=preview,
        refused=refused,
        may_submit=_may_submit(seat),
        status=refused.status if refused else 422 if form.errors else 200,
    )


def _submitted(request: HttpRequest, seat: Seat, form: SubmissionForm) -> HttpResponse:
    file = form.cleaned_data["file"]
    run = submit_run(
        actor=seat.user,
        campaign=seat.campaign,
        form=form.run_form(),
        stream=file,
        file_name=file.name,
        submission=form.submission.key,
    )
    if run.state == Run.State.ACCEPTED:
        messages.success(request, f"{run.tag} is accepted.")
    else:
        messages.error(request, f"{run.tag} is rejected: the checker found {run.errors} errors. See its report.")
    return redirect("run", seat.campaign.slug, run.pk)


@login_required
@require_safe
def run(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """One run with the checker's report."""
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    labels = {field.key: field.label for field in submission_of(seat.campaign, found.submission).fields}
    answers = [(labels.get(key, key), value) for key, value in found.fields.items()]
    sized = runs_with_sizes(access_runs(seat).filter(pk=found.pk)).get()
    return render_page(
        request,
        "assess/run.html",
        seat,
        run=sized,
        answers=answers,
        hidden=found.errors + found.warnings - len(found.report),
        may_withdraw=found.state == Run.State.ACCEPTED and _may_submit(seat),
    )


@login_required
@require_safe
def run_file(request: HttpRequest, slug: str, run_id: int) -> FileResponse:
    """The file as it was submitted, byte for byte, always as a download."""
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    response = FileResponse(open_file(found.file), content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, found.file_name) or "attachment"
    return response


@login_required
@require_safe
def run_report(request: HttpRequest, slug: str, run_id: int) -> HttpResponseBase:
    """The checker's report with every problem, as CSV; the file is checked anew."""
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    with open_file(found.file) as stream:
        report = check_run(
            campaign=seat.campaign,
            stream=stream,
            submission=found.submission,
            form=form_of(found),
            limit=REPORT_LIMIT,
        )
    header = ("line", "severity", "rule", "message")
    return rows_response(
        header=header, rows=[issue.as_row() for issue in report.issues], name=f"{found.tag}-report.csv"
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_withdraw(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Say what withdrawing does, then do it."""
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    if request.method == "POST":
        withdraw_run(actor=seat.user, run=found)
        messages.success(request, f"{found.tag} is withdrawn.")
        return redirect("run", slug, run_id)
    sized = runs_with_sizes(access_runs(seat).filter(pk=found.pk)).get()
    return render_page(request, "assess/run_withdraw.html", seat, run=sized)


def form_of(run: Run) -> RunForm:
    """What was said of the run when it was submitted."""
    return RunForm(
        tag=run.tag,
        team=run.team,
        priority=run.priority,
        automatic=run.automatic,
        description=run.description,
        fields=run.fields,
    )


def _may_submit(seat: Seat) -> bool:
    """Whether the page offers submitting and withdrawing; the domain decides."""
    states = {Campaign.State.SETUP, Campaign.State.JUDGING} if seat.is_organiser else {Campaign.State.SETUP}
    return seat.campaign.state in states
