"""The editor of a design: its text, and beside it the faults, the changes, and the bench that it makes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from assess.base.errors import NotFound, Refused
from assess.campaigns.designs import design_versions, designs, text_of_design
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of, track_of_text
from assess.campaigns.seats import Seat, access_as_organiser, access_campaign_making
from assess.judging.views.bench_preview import preview_values
from assess.kinds.base import kinds
from assess.organising.copying import save_as_design
from assess.organising.design_versions import DesignPlan, change_design, design_values, plan_design
from assess.organising.forms import DesignForm, NewNamesForm
from assess.organising.making import make_campaign
from assess.organising.views.overview import say_made
from assess.protocol import Stage
from assess.protocol.designs import DesignFault, DesignPart
from assess.web.forms import ManyUploadsField
from assess.web.made_from import FIELD
from assess.web.page import render_page
from assess.web.requests import add_refusal, person_of
from scoring.reading.opening import CannotOpen
from scoring.reading.scratch import scratch_folder

FRAGMENT = "assess/organising/parts/design_answer.html"
EDITS = ("write", "up", "remove", "list")
"""The edits that the buttons of the forms make in the text."""
RELATIVE = re.compile(r"\A#:schema \.\..*\n")
WORK = "grade"
"""The kind of work whose bench is shown."""


class NewDesignForm(DesignForm, NewNamesForm):
    """Asks for the title, the short name and the design of a new campaign."""

    use_required_attribute = False  # the text is checked even before it has a title

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("title", "slug"):
            self.fields[name].required = not self.is_bound or self.data.get("do") == "make"


class FromFilesForm(forms.Form):
    """Asks for an organiser's own files, from whose content a first design is made."""

    own = ManyUploadsField(label=gettext_lazy("Topics, runs, or a table of what is judged"))

    def text(self) -> str:
        """Return a first design made from the files' content; or "", with the problem shown beside the field."""
        with scratch_folder(prefix="assay-design-") as place:
            paths = []
            for number, file in enumerate(self.cleaned_data["own"]):
                name = re.sub(r"[^A-Za-z0-9._-]+", "_", file.name or "").lstrip(".")[-100:] or "file"
                paths.append(place / str(number) / "my-evaluation" / name)
                paths[-1].parent.mkdir(parents=True)
                with paths[-1].open("wb") as copy:
                    shutil.copyfileobj(file, copy)
            try:
                return designs().first(paths)
            except (ValueError, CannotOpen) as error:
                self.add_error("own", str(error))
        return ""


@require_safe
def design_schema(request: HttpRequest) -> JsonResponse:
    """Return the JSON Schema of designs, which text editors use. Open to anybody."""
    return JsonResponse(designs().schema())


def _begun(request: HttpRequest) -> dict[str, str]:
    """Return the example designs, each with the address of the schema on this site, so that a downloaded file
    finds it.
    """
    named = f"#:schema {request.build_absolute_uri(reverse('design-schema'))}\n"
    return {key: RELATIVE.sub(lambda _: named, text) for key, text in designs().gallery().items()}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def design_new(request: HttpRequest) -> HttpResponse:
    """Show an editor for a design, which starts from an example or from the content of files. A POST checks the text,
    returns it as a file, or makes a campaign with it.
    """
    person = person_of(request)
    access_campaign_making(person)
    begun = _begun(request)
    asked = request.GET.get("from", "")
    text = begun.get(asked, next(iter(begun.values()), ""))
    if request.method == "POST" and request.POST.get("do") == "look":
        own = FromFilesForm(request.POST, request.FILES)
        text = (own.is_valid() and own.text()) or text
        form = NewDesignForm(present={"design": text})
        return _new(request, form, begun, _plan_of(text), own)
    form = NewDesignForm(request.POST or None, request.FILES or None, present={"design": text})
    if request.method != "POST" or not form.is_valid():
        return _new(request, form, begun, _plan_of(text) if request.method != "POST" else None)
    values = form.cleaned_data
    text = values["design"]
    if request.POST.get("do") == "download":
        return _file(text, "design.toml")
    text = _edited(form, text, request.POST.get("do", ""))
    if request.POST.get("do") == "make":
        try:
            names = {"slug": values["slug"], "title": values["title"]}
            made = make_campaign(actor=person, **names, design=values["sent"], files=values["beside"])
        except Refused as refused:
            add_refusal(form, refused)
        else:
            say_made(request, made)
            return redirect("overview", made.slug)
    return _new(request, form, begun, _plan_of(text, came=values["beside"]))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def design(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the design in force with its versions. A POST checks a text, puts it into force, or returns it as a file.

    In the address, ``version`` asks for the file of a version, and ``saved`` for the design with the campaign's
    settings.
    """
    seat = access_as_organiser(request.user, slug)
    if "saved" in request.GET and (saved := save_as_design(seat.campaign)).text:
        return _file(saved.text, f"{seat.campaign.slug}.toml")
    if not seat.campaign.design:
        status = 409 if request.method == "POST" else 200
        return render_page(
            request, "assess/organising/no_design.html", seat, status=status,
            track=track_of(seat.campaign), saved=save_as_design(seat.campaign),
        )  # fmt: skip
    if "version" in request.GET:
        return _version(seat.campaign, request.GET["version"])
    present = design_values(seat.campaign)
    bound = request.method == "POST"
    form = DesignForm(request.POST if bound else None, request.FILES if bound else None, present=present)
    if not bound or not form.is_valid():
        return _page(request, seat, form, plan_design(seat.campaign, present["design"]) if not bound else None)
    text, do = form.cleaned_data["design"], request.POST.get("do", "")
    if do == "download":
        return _file(text, f"{seat.campaign.slug}.toml")
    text = _edited(form, text, do)
    if do == "save":
        try:
            sent, files = form.cleaned_data["sent"], form.cleaned_data["beside"]
            made = change_design(
                actor=seat.user, campaign=seat.campaign, text=sent, files=files, made_from=form.cleaned_data[FIELD]
            )
        except Refused as refused:
            form.add_refusal(
                type(refused)(gettext("Nothing was changed: see beside the text.")) if _is_planned(refused) else refused
            )
        else:
            messages.success(
                request, gettext("Version %(version)s of the design is in force.") % {"version": made.version}
            )
            return redirect("design", slug)
    return _page(request, seat, form, plan_design(seat.campaign, text))


def _edited(form: DesignForm, text: str, do: str) -> str:
    """Return the text after the edit that a button of the forms asks for."""
    if do == "question":
        return form.add_question(text)
    return form.edit(text, do) if do.partition(" ")[0] in EDITS else text


def _version(campaign: Campaign, number: str) -> HttpResponse:
    """Return a version as a file, as it was put into force."""
    found = next((each for each in design_versions(campaign) if str(each.version) == number), None)
    if found is None:
        raise NotFound
    return _file(text_of_design(found.design), f"{campaign.slug}-{found.version}.toml")


def _is_planned(refused: Refused) -> bool:
    """Return whether the plan beside the text already shows this refusal, with line numbers."""
    return refused.field == "design" and refused.message.startswith("line ")


def _file(text: str, name: str) -> HttpResponse:
    answer = HttpResponse(text, content_type="application/toml; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _plan_of(text: str, *, came: Iterable[str] = ()) -> DesignPlan:
    """Return the plan of a design's text that no campaign has yet: its faults, and its track if it can be made.

    Guidelines are not written into the text, so it is not said that they are missing if their file ``came``.
    """
    told = [f"{name} lies beside the design" for name in came]
    faults = tuple(
        each
        for each in designs().faults(text, kinds())
        if each.severity == "error" or not each.message.startswith(tuple(told))
    )
    if any(each.severity == "error" for each in faults):
        return DesignPlan(faults=faults)
    try:
        return DesignPlan(faults=faults, track=track_of_text(text))
    except Refused:  # the design names files that are not here
        return DesignPlan(faults=faults)


def _new(
    request: HttpRequest,
    form: NewDesignForm,
    begun: Iterable[str],
    plan: DesignPlan | None,
    own: FromFilesForm | None = None,
) -> HttpResponse:
    own = own or FromFilesForm()
    values = _found(request, form, plan, None)
    if request.headers.get("HX-Request"):
        return render_page(request, FRAGMENT, **values)
    status = 422 if form.errors or own.errors else 200
    return render_page(
        request, "assess/organising/design_new.html", begun=list(begun), own=own, status=status, **values
    )


def _page(request: HttpRequest, seat: Seat, form: DesignForm, plan: DesignPlan | None) -> HttpResponse:
    values = _found(request, form, plan, seat.campaign)
    if request.headers.get("HX-Request"):
        return render_page(request, FRAGMENT, seat, **values)
    versions = list(reversed(design_versions(seat.campaign)))
    status = 422 if form.errors else 200
    return render_page(
        request, "assess/organising/design.html", seat, versions=versions, form=form, status=status,
        **{name: value for name, value in values.items() if name != "form"},
    )  # fmt: skip


def _found(
    request: HttpRequest, form: DesignForm, plan: DesignPlan | None, campaign: Campaign | None
) -> dict[str, Any]:
    """Return what is shown beside the text: faults, changes, and the bench of the chosen stage."""
    stages: list[Stage] = []
    if plan is not None and plan.track is not None:
        stages = [stage for task in plan.track.tasks for stage in task.stages]
    wanted = request.POST.get("stage", "")
    stage = next((each for each in stages if each.key == wanted), next(iter(stages), None))
    values: dict[str, Any] = {"form": form, "plan": plan, "stages": stages, "chosen": stage}
    values["parts"] = _parts(str(form["design"].value() or ""), plan)
    if plan is not None:
        values["changes"] = plan.changes
        values["in_the_way"] = len(plan.in_the_way)
        values["moved"] = plan.moved
    if stage is not None and stage.work.key == WORK:
        sample = form.cleaned_data.get("sample", "") if form.is_bound and form.is_valid() else ""
        values["bench"] = preview_values(_as_set(stage, plan, campaign), campaign, sample)
    return values


def _as_set(stage: Stage, plan: DesignPlan | None, campaign: Campaign | None) -> Stage:
    """Return the stage with the scales that the campaign has set, or else with those of the design."""
    if plan is None or plan.track is None:
        return stage
    settings = plan.track.settings()
    known, kept = settings.as_mapping(), campaign.settings if campaign is not None else {}
    try:
        settings = plan.track.settings.from_mapping({name: kept.get(name, value) for name, value in known.items()})
    except (TypeError, ValueError):  # the text no longer has what the campaign has set
        settings = plan.track.settings()
    return stage.asking(tuple(each.with_scale(settings) for each in stage.criteria))


def _parts(text: str, plan: DesignPlan | None) -> list[tuple[DesignPart, list[DesignFault]]]:
    """Return the tables of a design as forms for the page, each with the faults on its lines."""
    parts = designs().parts(text)
    begins = {part.lines[0]: part for part in parts}
    faults: dict[str, list[DesignFault]] = {}
    for fault in plan.faults if plan is not None else ():
        begin = max((line for line in begins if line <= fault.line), default=0)
        if begin:
            faults.setdefault(begins[begin].key, []).append(fault)
    return [(part, faults.get(part.key, [])) for part in parts]
