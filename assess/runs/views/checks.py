"""Pages of a run's check while it is under way, and of its repaired file: differences, download, submission."""

from __future__ import annotations

from itertools import islice

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.base.errors import NotFound
from assess.base.files import open_file
from assess.base.one_at_a_time import one_at_a_time
from assess.campaigns.seats import Seat, access_seat
from assess.runs.access import access_run
from assess.runs.domain.repaired import repairs_of
from assess.runs.domain.submitting import check_again, submit_repaired
from assess.runs.file_diffs import diff_hunks
from assess.runs.models import Run
from assess.runs.queries import run_check, run_in_place
from assess.runs.views.pages import BYTES, MEMBERS, window_of
from assess.web.page import JOB_ENDED, render_page

PLACES, MOST_PLACES = 25, 200
"""The most differing places on one page, and on all pages."""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_check_state(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Return the progress of the check as a fragment. When the check is done, an empty answer makes the page reload.

    A POST restarts the check. A browser that asks for more than a fragment is sent to the run's page.
    """
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    if request.method == "POST":
        check_again(actor=seat.user, run=found)
        messages.success(request, gettext("The check of %(tag)s is started again.") % {"tag": found.tag})
        return redirect("run", slug, run_id)
    if not getattr(request, "htmx", False):
        return redirect("run", slug, run_id)
    if found.state != Run.State.CHECKING:
        return HttpResponse(status=204, headers={"HX-Trigger": JOB_ENDED})
    check = run_check(found, now=timezone.now())
    earlier = run_in_place(found)
    return render_page(request, "assess/runs/parts/check.html", seat, run=found, check=check, earlier=earlier)


@login_required
@require_safe
def run_repaired(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Show the differences between the submitted and the repaired file, page by page.

    The files are compared each time. Refused while another file of the same person is being read.
    """
    seat = access_seat(request.user, slug, *MEMBERS)
    found = _repaired(seat, run_id)
    asked = request.GET.get("page", "1")
    number = int(asked) if asked.isdecimal() and len(asked) < 6 and 0 < int(asked) <= MOST_PLACES // PLACES else 1
    first = (number - 1) * PLACES
    with one_at_a_time(seat.user), open_file(found.file) as old, open_file(found.repaired) as new:
        hunks = list(islice(diff_hunks(old, new), first, first + PLACES + 1))
    more = len(hunks) > PLACES
    at_end = first + PLACES >= MOST_PLACES
    shown = hunks[:PLACES]
    repairs, left = repairs_of(found)
    return render_page(
        request,
        "assess/runs/repaired.html",
        seat,
        run=found,
        earlier=run_in_place(found),
        hunks=shown,
        number=number,
        first=first + 1 if shown else 0,
        last=first + len(shown),
        is_last=not more or at_end,
        is_cut=more and at_end,
        most=MOST_PLACES,
        repairs=repairs,
        left=left,
        window=window_of(seat),
    )


@login_required
@require_safe
def run_repaired_file(request: HttpRequest, slug: str, run_id: int) -> FileResponse:
    """Return the repaired file, always as a download."""
    seat = access_seat(request.user, slug, *MEMBERS)
    found = _repaired(seat, run_id)
    name = f"repaired-{found.file_name}"
    return FileResponse(open_file(found.repaired), as_attachment=True, filename=name, content_type=BYTES)


@login_required
@require_POST
def run_repaired_submit(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """Submit the repaired file as a new run."""
    seat = access_seat(request.user, slug, *MEMBERS)
    found = access_run(seat, run_id)
    earlier = run_in_place(found)
    is_meant = earlier is not None and request.POST.get("replace") == str(earlier.pk)
    made = submit_repaired(actor=seat.user, run=found, replace=earlier if earlier is not None and is_meant else False)
    messages.success(
        request, gettext("The repaired file of %(tag)s is submitted. It is checked now.") % {"tag": made.tag}
    )
    return redirect("run", slug, made.pk)


def _repaired(seat: Seat, run_id: int) -> Run:
    """Return the run if it has a repaired file. Raise NotFound otherwise."""
    found = access_run(seat, run_id)
    if not found.repaired:
        raise NotFound
    return found
