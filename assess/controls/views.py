"""The pages of control items: adding repeats and gold items, self-consistency and drift."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.assignments.models import ControlItem
from assess.base.errors import BadFile, NotFound, Refused
from assess.base.file_issues import Collector
from assess.base.numbers import grouped
from assess.base.plotting import DARK, LIGHT, plot_image, plot_number, plot_sheet, svg_response
from assess.base.unpacked import read_upload
from assess.campaigns.seats import Seat, access_as_organiser
from assess.campaigns.track_texts import in_language
from assess.controls.consistency import (
    LEAST_FOR_KAPPA,
    Tenth,
    assessor_names,
    consistency_by_assessor,
    control_item_totals,
    drift,
)
from assess.controls.domain import (
    FILE_LIMIT,
    GoldAnswer,
    make_control_items,
    plan_control_items,
    read_gold,
    remove_control_items,
)
from assess.controls.plan import SHORT, ControlItemRequest, PlannedWork, usual_repeats
from assess.judging.queries.stage_items import graded_stages
from assess.web.forms import UploadField
from assess.web.number_fields import WholeNumberField
from assess.web.page import render_page
from assess.web.requests import add_refusal, posted_text
from assess.web.table import Column, csv_response, make_table

# Forms about control items. They check the shape of the input, never a rule.


class ControlItemsForm(forms.Form):
    """The control items to add to the assignments of a stage."""

    stage = forms.ChoiceField(label=gettext_lazy("Stage"))
    repeats = WholeNumberField(
        label=gettext_lazy("Repeats in each assignment"),
        min_value=0,
        max_value=1000,
        initial=3,
        help_text=gettext_lazy("0: none."),
    )
    gold = WholeNumberField(
        label=gettext_lazy("Gold items in each assignment"),
        min_value=0,
        max_value=1000,
        initial=0,
        help_text=gettext_lazy("Of the file below, or else of what adjudicators decided."),
    )
    gap = WholeNumberField(
        label=gettext_lazy("Items between the first time and the second"),
        min_value=1,
        max_value=10_000,
        initial=10,
        help_text=gettext_lazy("So that nobody remembers the first."),
    )
    seed = WholeNumberField(label=gettext_lazy("Seed"), min_value=0, max_value=2**31 - 1, initial=1)
    file = UploadField(
        label=gettext_lazy("Gold file"),
        required=False,
        allow_empty_file=False,
        help_text=gettext_lazy(
            "Lines of topic, kind, key, criterion and value, with tabs or commas between. Left out: adjudicated items."
        ),
    )
    answers = forms.CharField(widget=forms.HiddenInput(), required=False, max_length=2 * FILE_LIMIT, strip=False)

    def __init__(self, *args: Any, stages: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(forms.ChoiceField, self.fields["stage"]).choices = list(stages)


# The plot of how an assessor's judging changes over time.


def drift_svg(tenths: Sequence[Tenth], *, dark: bool = False) -> bytes:
    """Return an image of two panels: above the share of control items judged as expected, below the median of seconds.

    A tenth without control items, or without times, has no point and no line.
    """
    colours = DARK if dark else LIGHT
    figure = plot_sheet(width=7.5, height=4.2, colours=colours)
    panels = figure.subplots(2, 1, sharex=True)
    numbers = [tenth.number for tenth in tenths]
    lines = (
        (gettext("as expected, of control items"), [tenth.share for tenth in tenths], (0.0, 1.0), "{:.2f}"),
        (gettext("seconds a judgment, median"), [tenth.seconds for tenth in tenths], None, "{:.3g}"),
    )
    for axes, (title, values, limits, form) in zip(panels, lines, strict=True):
        axes.set_facecolor(colours.paper)
        known = [float("nan") if value is None else value for value in values]
        axes.plot(numbers, known, color=colours.bar, marker="o", markersize=5, linewidth=1.5)
        for number, value in zip(numbers, values, strict=True):
            if value is not None:
                axes.annotate(
                    plot_number(form.format(value)),
                    (number, value),
                    textcoords="offset points",
                    xytext=(0, 7),
                    ha="center",
                    fontsize=8,
                    color=colours.ink,
                )
        axes.set_title(title, color=colours.ink, fontsize=10, loc="left", parse_math=False)
        axes.tick_params(colors=colours.ink, labelsize=9)
        axes.set_xticks(numbers)
        if limits is not None:
            axes.set_ylim(limits[0] - 0.05, limits[1] + 0.18)
        else:
            axes.set_ylim(bottom=0)
            axes.margins(y=0.25)
    panels[-1].set_xlabel(gettext("tenth of the work"), color=colours.ink, fontsize=9)
    return plot_image(figure)


# The pages.

SHOWN = 200

COLUMNS = (
    Column(key="name", label=gettext_lazy("Assessor")),
    Column(key="criterion", label=gettext_lazy("Criterion")),
    Column(key="agreed", label=gettext_lazy("Repeats the same"), number=True),
    Column(key="repeats", label=gettext_lazy("Repeats"), number=True),
    Column(key="share", label=gettext_lazy("Share"), number=True),
    Column(key="kappa", label=gettext_lazy("Kappa"), number=True),
    Column(
        key="low",
        label=gettext_lazy("95 % from"),
        value=lambda row: row.interval.low if row.interval is not None else None,
        number=True,
    ),
    Column(
        key="high",
        label=gettext_lazy("95 % to"),
        value=lambda row: row.interval.high if row.interval is not None else None,
        number=True,
    ),
    Column(key="right", label=gettext_lazy("Gold right"), number=True),
    Column(key="gold", label=gettext_lazy("Gold"), number=True),
)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def plants(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form of control items. A POST shows what would be added, or adds it if that button was pressed."""
    seat = access_as_organiser(request.user, slug)
    stages = [
        (stage.key, f"{in_language(task)}: {in_language(stage.label)}") for task, stage in graded_stages(seat.campaign)
    ]
    if request.method != "POST":
        return _page(request, seat, ControlItemsForm(stages=stages, initial=_to_begin_with(seat)) if stages else None)
    form = ControlItemsForm(request.POST, request.FILES, stages=stages)
    if not form.is_valid():
        return _page(request, seat, form)
    cleaned = form.cleaned_data
    wish = ControlItemRequest(
        repeats=cleaned["repeats"], gold=cleaned["gold"], gap=cleaned["gap"], seed=cleaned["seed"]
    )
    content = cleaned["answers"].replace("\r\n", "\n").encode()
    try:
        if cleaned["file"]:
            content = read_upload(cleaned["file"], most=FILE_LIMIT + 1)
        answers = _answers(content) if cleaned["file"] or content.strip() else []
        if "plant" in request.POST:
            made = make_control_items(
                actor=seat.user, campaign=seat.campaign, stage=cleaned["stage"], wish=wish, answers=answers
            )
            messages.success(
                request,
                ngettext(
                    "%(number)s control item added. The assessors are not told.",
                    "%(number)s control items added. The assessors are not told.",
                    len(made),
                )
                % {"number": grouped(len(made))},
            )
            return redirect("consistency", slug)
        works = plan_control_items(campaign=seat.campaign, stage=cleaned["stage"], wish=wish, answers=answers)
    except BadFile as refused:
        return _page(request, seat, form, refused=refused)
    except Refused as refused:
        add_refusal(form, refused)
        return _page(request, seat, form)
    return _page(request, seat, form, works=works, kept=content.decode("utf-8-sig"))


def _to_begin_with(seat: Seat) -> dict[str, Any]:
    """Return the form's initial values, if the track says what share of a stage's items is repeated."""
    stage = next((each for _, each in graded_stages(seat.campaign) if each.checks.repeats), None)
    if stage is None:
        return {}
    repeats = usual_repeats(seat.campaign, stage)
    return {"stage": stage.key, "repeats": repeats, "gap": stage.checks.gap}


@login_required
@require_POST
def plants_remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Remove the control items of a stage that are not judged yet."""
    seat = access_as_organiser(request.user, slug)
    removed = remove_control_items(actor=seat.user, campaign=seat.campaign, stage=posted_text(request, "stage"))
    messages.success(
        request,
        ngettext(
            "%(number)s control item that nobody had judged taken away.",
            "%(number)s control items that nobody had judged taken away.",
            removed,
        )
        % {"number": grouped(removed)},
    )
    return redirect("plants", slug)


@login_required
@require_safe
def consistency(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the consistency of every assessor by criterion, and one assessor's by tenths of their judgments."""
    seat = access_as_organiser(request.user, slug)
    rows = consistency_by_assessor(seat.campaign)
    table = make_table(request, rows, columns=COLUMNS, order="name")
    if table.wants_csv:
        return csv_response(table, name="self-consistency.csv")
    people = assessor_names(seat.campaign)
    chosen = _chosen(request, people)
    control_items, judged = control_item_totals(seat.campaign)
    return render_page(
        request,
        "assess/controls/consistency.html",
        seat,
        table=table,
        people=people,
        chosen=chosen,
        name=people.get(chosen) if chosen is not None else None,
        tenths=drift(seat.campaign, chosen) if chosen is not None else [],
        control_items=control_items,
        judged=judged,
        least=LEAST_FOR_KAPPA,
    )


@login_required
@require_safe
def consistency_plot(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the tenths of one assessor as an SVG image. Raises `NotFound` unless the address names an assessor."""
    seat = access_as_organiser(request.user, slug)
    chosen = _chosen(request, assessor_names(seat.campaign))
    if chosen is None:
        raise NotFound
    return svg_response(drift_svg(drift(seat.campaign, chosen), dark=request.GET.get("theme") == "dark"))


def _chosen(request: HttpRequest, people: dict[int, str]) -> int | None:
    asked = request.GET.get("assessor", "")
    return next((pk for pk, name in people.items() if name == asked), None)


def _answers(content: bytes) -> list[GoldAnswer]:
    problems = Collector()
    answers = read_gold(io.BytesIO(content), report=problems)
    problems.refuse_errors(name="The gold file")
    return answers


def _page(
    request: HttpRequest,
    seat: Seat,
    form: ControlItemsForm | None,
    *,
    works: list[PlannedWork] | None = None,
    kept: str = "",
    refused: BadFile | None = None,
) -> HttpResponse:
    wrong = refused is not None or (form is not None and bool(form.errors))
    planned = works or []
    return render_page(
        request,
        "assess/controls/control_items.html",
        seat,
        form=form,
        works=works,
        shown=sorted(planned, key=lambda work: not work.why)[:SHOWN],
        repeats=sum(work.repeats for work in planned),
        gold=sum(work.gold for work in planned),
        few=sum(bool(work.why) for work in planned),
        telling=sum(work.would_reveal for work in planned),
        short=SHORT,
        kept=kept,
        refused=refused,
        control_items=ControlItem.objects.filter(assignment__campaign=seat.campaign).count(),
        status=422 if wrong else 200,
    )
