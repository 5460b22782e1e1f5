"""Pages of machine judges: their list, importing their labels, and when assessors see them."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.base.errors import BadFile, Invalid, Refused
from assess.base.numbers import TwoNumbers, typed_number
from assess.base.wording import natural
from assess.campaigns.models import Campaign, Drafts
from assess.campaigns.queries import ANY_AGE
from assess.campaigns.seats import Seat, access_as_organiser
from assess.jobs.models import Job
from assess.jobs.waiting import waits_for_job
from assess.judging.queries.stage_items import graded_stages
from assess.machines.domain import NAME_LIMIT, MachineImport, change_drafts, reason_of
from assess.machines.files import kinds_of
from assess.machines.importing import take_files
from assess.machines.kept_drafts import drafts_at_hand
from assess.machines.queries import machines_of
from assess.machines.suggested_answers import suggested_files
from assess.web.forms import ManyFilesInput, ManyUploadsField
from assess.web.page import render_page
from assess.web.requests import add_refusal
from assess.web.table import Column, csv_response, make_table

EXAMPLES = {"share": "0.2", "seed": "7"}


class MachineForm(forms.Form):
    """Asks for the machine judge and the files of its labels."""

    name = forms.CharField(
        label=gettext_lazy("Name of the judge"),
        max_length=NAME_LIMIT,
        help_text=gettext_lazy("The same name is the same judge."),
    )
    labels = ManyUploadsField(label=gettext_lazy("Files"), widget=ManyFilesInput)
    kind = forms.ChoiceField(label=gettext_lazy("Kind of the files"), required=False)
    criterion = forms.ChoiceField(
        label=gettext_lazy("What plain qrels grade"),
        required=False,
        help_text=gettext_lazy("Only for plain qrels, which don't say it themselves."),
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [("", gettext("find it out by name and content")), *kinds_of(campaign).items()]
        asked = {each.key: each.question for _, stage in graded_stages(campaign) for each in stage.criteria}
        self.fields["kind"].choices = kinds  # type: ignore[attr-defined]
        self.fields["criterion"].choices = [("", gettext("the only one there is")), *asked.items()]  # type: ignore[attr-defined]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def machines(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the machine judges and how much each has judged. An import shows at once what was added and skipped."""
    seat = access_as_organiser(request.user, slug)
    if request.method != "POST":
        return _page(request, seat, MachineForm(campaign=seat.campaign))
    form = MachineForm(request.POST, request.FILES, campaign=seat.campaign)
    if not form.is_valid():
        return _page(request, seat, form)
    values = form.cleaned_data
    try:
        done = take_files(
            actor=seat.user,
            campaign=seat.campaign,
            name=values["name"],
            files=[(file.name or "file", file) for file in values["labels"]],
            kind=values["kind"],
            criterion=values["criterion"],
        )
    except BadFile as refused:
        form.add_error("labels", refused.message)
        return _page(request, seat, form, issues=refused.issues)
    except Refused as refused:
        add_refusal(form, refused)
        return _page(request, seat, form)
    if isinstance(done, Job):
        messages.success(
            request,
            gettext("The labels of %(name)s are being imported in the background.") % {"name": values["name"]},
        )
        return redirect("works", slug)
    return _page(request, seat, MachineForm(campaign=seat.campaign), done=done)


@login_required
@require_POST
def drafts(request: HttpRequest, slug: str) -> HttpResponse:
    """Store when machine judgments are shown, and in how many topics never."""
    seat = access_as_organiser(request.user, slug)
    change_drafts(
        actor=seat.user,
        campaign=seat.campaign,
        drafts=request.POST.get("drafts", ""),
        share=_number(request, "share", float),
        seed=_number(request, "seed", int),
    )
    messages.success(
        request,
        gettext("Machine judgments are shown: %(get_drafts_display)s.")
        % {"get_drafts_display": seat.campaign.get_drafts_display()},
    )
    back = request.POST.get("back", "")
    return redirect(back if back in ("settings", "machines") else "settings", slug)


COLUMNS = (
    Column(key="topic", label=gettext_lazy("Topic"), rank=lambda line: natural(line.topic)),
    Column(key="stage", label=gettext_lazy("Stage")),
    Column(key="by", label=gettext_lazy("Assessor")),
    Column(
        key="draftless", label=gettext_lazy("Without drafts"), value=lambda line: "yes" if line.is_draftless else ""
    ),
    *(
        Column(key=key, label=label, value=attrgetter(key), number=True)
        for key, label in (
            ("offered", gettext_lazy("Offered")),
            ("original", gettext_lazy("Kept as they were")),
            ("edited", gettext_lazy("Edited")),
            ("refused", gettext_lazy("Refused")),
            ("left", gettext_lazy("Left alone")),
            ("new", gettext_lazy("New")),
            ("minutes", gettext_lazy("Minutes")),
        )
    ),
)


@login_required
@require_safe
@waits_for_job
def offered(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show what happened to drafts: with and without them, and in each assignment; also as CSV."""
    seat = access_as_organiser(request.user, slug)
    uses = drafts_at_hand(seat.campaign, actor=seat.user, within=ANY_AGE)
    table = make_table(request, list(uses.lines), columns=COLUMNS, order="topic")
    if table.wants_csv:
        return csv_response(table, name="drafts.csv")
    return render_page(request, "assess/machines/offered.html", seat, table=table, uses=uses)


def _number(request: HttpRequest, name: str, kind: type[float] | type[int]) -> Any:
    """Return a number that the form sends, or None if it sends none. Raise `Invalid` for any other text."""
    text = request.POST.get(name, "").strip()
    try:
        return kind(typed_number(text, is_whole=kind is int)) if text else None
    except TwoNumbers as error:
        raise Invalid(str(error), field=name) from error
    except ValueError as error:
        raise Invalid(
            gettext("“%(text)s” is no number. Write a %(name)s such as %(examples)s.")
            % {"text": text[:20], "name": name, "examples": EXAMPLES[name]}
        ) from error


def _page(
    request: HttpRequest, seat: Seat, form: MachineForm, *, done: MachineImport | None = None, issues: object = ()
) -> HttpResponse:
    return render_page(
        request,
        "assess/machines/machines.html",
        seat,
        machines=machines_of(seat.campaign),
        suggested=suggested_files(seat.campaign),
        form=form,
        done=done,
        passed=sum(done.passed_over.values()) if done is not None else 0,
        passed_over=[(gettext(reason_of(code)), number) for code, number in done.passed_over.items()] if done else [],
        issues=done.issues if done is not None else issues,
        drafts=Drafts.choices,
        can_import=seat.campaign.state == Campaign.State.JUDGING,
        back="machines",
        status=422 if form.errors else 200,
    )
