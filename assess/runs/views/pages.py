"""Pages of runs: all of them for organisers, their team's for participants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import BinaryIO, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from assess.base.errors import Invalid, Refused
from assess.base.file_issues import Report
from assess.base.files import open_file, stored_path
from assess.base.unpacked import open_unpacked
from assess.campaigns.models import Campaign, Part, Role
from assess.campaigns.queries import track_of
from assess.campaigns.seats import Seat, access_seat
from assess.runs.access import access_run, access_runs
from assess.runs.domain.checking import AT_ONCE, Preview, check_while_waiting, report_in_full, size_limit, submission_of
from assess.runs.domain.deciding import withdraw_run
from assess.runs.domain.repaired import repairs_of
from assess.runs.domain.replacing import ReplacesRun
from assess.runs.domain.run_form import Incomplete, form_of
from assess.runs.domain.several import SentFile, is_zip, submit_several
from assess.runs.domain.space import list_spaces
from assess.runs.domain.submission_rules import Window, run_window
from assess.runs.domain.submitting import submit_run
from assess.runs.forms import SubmissionForm, initial_values
from assess.runs.models import Run
from assess.runs.queries import any_strings, older_attempts, run_check, run_in_place, run_replacing, runs_with_sizes
from assess.user_agreements.access import is_open_to, require_open_to
from assess.web.page import render_page
from assess.web.table import Column, Filter, Option, choices_filter, csv_response, make_table, rows_response

BYTES = "application/octet-stream"
REPORT_LIMIT = 10_000  # problems of each severity in a downloaded report
DIGITS = 18  # of an id in an address
EACH = "each"  # what the form says where each of several files may replace a run
MEMBERS = (Role.ORGANISER, Role.PARTICIPANT)

COLUMNS = (
    Column(key="tag", label=gettext_lazy("Run"), order="tag"),
    Column(key="team", label=gettext_lazy("Team"), order="team"),
    Column(key="priority", label=gettext_lazy("Priority"), order="priority", number=True),
    Column(
        key="made",
        label=gettext_lazy("Made"),
        value=lambda run: "automatic" if run.automatic else "manual",
        order="automatic",
    ),
    Column(key="state", label=gettext_lazy("State"), order="state"),
    Column(key="errors", label=gettext_lazy("Errors"), order="errors", number=True),
    Column(key="warnings", label=gettext_lazy("Warnings"), order="warnings", number=True),
    Column(key="answered", label=gettext_lazy("Topics"), order="answered", number=True),
    Column(key="strings", label=gettext_lazy("Strings"), order="strings", number=True),
    Column(
        key="submitted",
        label=gettext_lazy("Submitted"),
        value=lambda run: run.submitted_at.isoformat(timespec="seconds"),
        order="id",
    ),
)

FILTERS = (
    choices_filter("state", gettext_lazy("State"), Run.State),
    Filter(
        key="made",
        label=gettext_lazy("Made"),
        options=(
            Option(value="automatic", label=gettext_lazy("automatic"), where=Q(automatic=True)),
            Option(value="manual", label=gettext_lazy("manual"), where=Q(automatic=False)),
        ),
    ),
)


@login_required
@require_safe
def runs(request: HttpRequest, slug: str, released: Callable[[Campaign], Mapping[str, str]]) -> HttpResponseBase:
    """Show the runs that this person may see, as a page or as CSV.

    Rejected runs that were submitted again are shown only if the address asks for them. ``released`` returns the names
    of runs in the published release, by tag.
    """
    seat = access_seat(request.user, slug, *MEMBERS)
    seen = access_runs(seat)
    older = 0 if request.GET.get("attempts") == "all" else seen.filter(older_attempts()).count()
    rows = runs_with_sizes(seen.exclude(older_attempts()) if older else seen)
    has_strings = any_strings(seen)
    noun = f"{track_of(seat.campaign).segment_noun}s".capitalize()
    columns = [
        replace(column, label=noun) if column.key == "strings" else column
        for column in COLUMNS
        if has_strings or column.key != "strings"
    ]
    if names := released(seat.campaign):
        columns.append(_released_column(names))
    table = make_table(request, rows, columns=columns, filters=FILTERS, search=("tag", "team"), order="tag")
    if table.wants_csv:
        return csv_response(table, name="runs.csv")
    return render_page(
        request,
        "assess/runs/runs.html",
        seat,
        table=table,
        window=window_of(seat),
        spaces=list_spaces(seat.campaign, None if seat.is_organiser else seat.teams),
        team_mb=settings.ASSAY_TEAM_MB,
        team_tries=settings.ASSAY_TEAM_TRIES,
        may_check=is_open_to(seat, Part.TOPICS),
        older=older,
        has_strings=has_strings,
        names=names,
    )


def _released_column(names: Mapping[str, str]) -> Column:
    """Return the column with the name of a run in the release. It is empty for runs that are not accepted."""

    def name(run: Run) -> str:
        return names.get(run.tag, "") if run.state == Run.State.ACCEPTED else ""

    return Column(key="released", label=gettext("In the release"), value=name)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Submit a run, or only check it.

    With ?replace=ID, the form begins with the values of that run, and the submitted run replaces it. If the team has
    another file under the tag and did not ask to replace it, the form is shown again and asks.
    """
    seat = access_seat(request.user, slug, *MEMBERS)
    replaced = _replaced(seat, request.POST.get("replace", "") or request.GET.get("replace", ""))
    key = request.POST.get("submission", "") or request.GET.get("submission", "")
    submission = submission_of(seat.campaign, key or (replaced.submission if replaced is not None else ""))
    bound = request.method == "POST"
    files = request.FILES.getlist("file")
    may_submit = "check" not in request.POST and replaced is None
    several = len(files) > 1 or (may_submit and any(is_zip(cast(BinaryIO, file.file)) for file in files))
    form = SubmissionForm(
        request.POST if bound else None,
        request.FILES if bound else None,
        submission=submission,
        teams=None if seat.is_organiser else seat.teams,
        several=several,
        initial=initial_values(form_of(replaced)) if replaced is not None else None,
    )
    report, preview, refused = None, None, None
    if bound and form.is_valid():
        try:
            if several:
                return _all_submitted(request, seat, form, may_submit=may_submit)
            if "check" not in request.POST:
                return _submitted(request, seat, form, replaced)
            report, preview = _checked(seat, form)
        except Incomplete as error:
            form.add_problems(error.problems)
        except Refused as error:
            refused = error
    return render_page(
        request,
        "assess/runs/new.html",
        seat,
        form=form,
        submission=submission,
        submissions=[
            each for each in track_of(seat.campaign).submissions if seat.is_organiser or not each.for_organisers
        ],
        report=report,
        preview=preview,
        refused=refused,
        replaced=replaced,
        asked=refused.run if isinstance(refused, ReplacesRun) else None,
        several=several,
        window=window_of(seat),
        spaces=[] if seat.is_organiser else list_spaces(seat.campaign, seat.teams),
        status=refused.status if refused else 422 if form.errors else 200,
    )


def _checked(seat: Seat, form: SubmissionForm) -> tuple[Report, Preview | None]:
    require_open_to(seat, Part.TOPICS)  # a report on a run reveals something about the topics
    file, run_form, key = form.cleaned_data["file"], form.run_form(), form.submission.key
    published = form.cleaned_data.get("published", False)
    with open_unpacked(file, name=file.name, limit=AT_ONCE, person=seat.user) as opened:
        return check_while_waiting(
            actor=seat.user,
            campaign=seat.campaign,
            stream=opened.stream,
            submission=key,
            form=run_form,
            published=published,
        )


def _submitted(request: HttpRequest, seat: Seat, form: SubmissionForm, replaced: Run | None) -> HttpResponse:
    file = form.cleaned_data["file"]
    with open_unpacked(file, name=file.name, limit=size_limit(form.submission), person=seat.user) as opened:
        run = submit_run(
            actor=seat.user,
            campaign=seat.campaign,
            form=form.run_form(),
            file=opened.stream,
            file_name=opened.name,
            submission=form.submission.key,
            published=form.cleaned_data.get("published", False),
            replace=replaced or False,
            in_place=False,
        )
    if run.state == Run.State.CHECKING:
        messages.success(
            request,
            gettext("%(tag)s was received completely and is being checked. This page will show the result.")
            % {"tag": run.tag},
        )
    else:
        messages.success(
            request, gettext("%(tag)s is accepted already, with this file and these answers.") % {"tag": run.tag}
        )
    return redirect("run", seat.campaign.slug, run.pk)


def _all_submitted(request: HttpRequest, seat: Seat, form: SubmissionForm, *, may_submit: bool) -> HttpResponse:
    """Submit several files, or those in a zip. Refuse to check them only, or to replace one run by them."""
    if not may_submit:
        raise Invalid(
            gettext(
                "Several runs, or a zip, can only be submitted. "
                "To check without submitting, or to replace a run, choose one file."
            )
        )
    files = [SentFile(name=file.name or "", stream=cast(BinaryIO, file.file)) for file in request.FILES.getlist("file")]
    runs = submit_several(
        actor=seat.user,
        campaign=seat.campaign,
        form=form.run_form(),
        files=files,
        submission=form.submission.key,
        published=form.cleaned_data.get("published", False),
        replace=request.POST.get("replace") == EACH,
    )
    messages.success(
        request,
        gettext("These runs were received completely and are being checked: %(tags)s. This page will show the results.")
        % {"tags": ", ".join(run.tag for run in runs)},
    )
    return redirect("runs", seat.campaign.slug)


def _replaced(seat: Seat, run_id: str) -> Run | None:
    """Return the run that the form or the address says is to be replaced; None if they name none. Raise NotFound for a
    run that the person may not see.
    """
    return access_run(seat, int(run_id)) if run_id.isdecimal() and len(run_id) <= DIGITS else None


@login_required
@require_safe
def run(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Show a run: the progress of its check, or the checker's report and what could be repaired."""
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    labels = {field.key: field.label for field in submission_of(seat.campaign, found.submission).fields}
    answers = [(labels.get(key, key), value) for key, value in found.fields.items()]
    sized = runs_with_sizes(access_runs(seat).filter(pk=found.pk)).get()
    checking = found.state == Run.State.CHECKING
    window = window_of(seat)
    repairs, left = repairs_of(found)
    in_setup = seat.campaign.state == Campaign.State.SETUP
    return render_page(
        request,
        "assess/runs/run.html",
        seat,
        run=sized,
        answers=answers,
        hidden=found.errors + found.warnings + found.notes - sum(row.get("count", 1) for row in found.report),
        check=run_check(found, now=timezone.now()) if checking else None,
        earlier=run_in_place(found) if checking or (found.repaired and found.state != Run.State.ACCEPTED) else None,
        successor=run_replacing(found),
        segment_noun=track_of(seat.campaign).segment_noun,
        repairs=repairs,
        left=left,
        is_large=found.size > AT_ONCE,
        is_kept=stored_path(found.file).is_file(),
        window=window,
        may_withdraw=window.is_open and found.state in (Run.State.ACCEPTED, Run.State.CHECKING),
        may_replace=window.is_open and in_setup and found.state == Run.State.ACCEPTED,
    )


@login_required
@require_safe
def run_file(request: HttpRequest, slug: str, run_id: int) -> FileResponse:
    """Return the file as it was submitted, byte for byte, always as a download."""
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    return FileResponse(open_file(found.file), as_attachment=True, filename=found.file_name, content_type=BYTES)


@login_required
@require_safe
def run_report(request: HttpRequest, slug: str, run_id: int) -> HttpResponseBase:
    """Return the checker's report as CSV.

    The file is checked again to list every problem; for a large file, the stored report is used.
    """
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    rows = report_in_full(actor=seat.user, run=found, limit=REPORT_LIMIT)
    header = ("line", "severity", "rule", "message", "text")
    keys = ("where", "severity", "code", "message", "excerpt")
    return rows_response(
        header=header, rows=[[str(row[key]) for key in keys] for row in rows], name=f"{found.tag}-report.csv"
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_withdraw(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Say what withdrawing the run does. When posted, withdraw it."""
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    if request.method == "POST":
        withdraw_run(actor=seat.user, run=found)
        messages.success(request, gettext("%(tag)s is withdrawn.") % {"tag": found.tag})
        return redirect("run", slug, run_id)
    sized = runs_with_sizes(access_runs(seat).filter(pk=found.pk)).get()
    noun = track_of(seat.campaign).segment_noun
    return render_page(request, "assess/runs/withdraw.html", seat, run=sized, segment_noun=noun, window=window_of(seat))


def window_of(seat: Seat) -> Window:
    """Return whether this member may submit runs now, with a sentence on the deadline."""
    return run_window(campaign=seat.campaign, is_organiser=seat.is_organiser)
