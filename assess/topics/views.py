"""Pages of topics: the list, its files, and loading more."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from assess.base.errors import BadFile, Refused
from assess.base.file_issues import Report
from assess.base.numbers import grouped
from assess.base.unpacked import open_upload
from assess.campaigns.dates import is_out, release_words
from assess.campaigns.models import Part, Role
from assess.campaigns.queries import track_of
from assess.campaigns.seats import Seat, access_as_organiser, access_seat
from assess.topics.access import access_topic_file, access_topics
from assess.topics.domain.loading import load_topics
from assess.topics.models import ListedDocument, Topic
from assess.topics.queries import has_series_in, topic_file_lines, topic_files, with_place
from assess.user_agreements.access import is_open_to
from assess.web.forms import TopicsForm
from assess.web.page import download, render_page
from assess.web.table import Column, Filter, Option, Table, csv_response, make_table

COLUMNS = (
    Column(key="number", label=gettext_lazy("Number"), order="place"),
    Column(key="task", label=gettext_lazy("Type"), order="task"),
    Column(key="text", label=gettext_lazy("Text"), order="text"),
    Column(
        key="series",
        label=pgettext_lazy("one series", "Series"),
        value=lambda topic: topic.parent.text if topic.parent else "",
        order="parent__text",
    ),
    Column(
        key="responses", label=gettext_lazy("Runs"), value=lambda topic: topic.answered, order="answered", number=True
    ),
)


@login_required
@require_safe
def topics(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the topics of the campaign to organisers and participants, as a page or as CSV.

    Participants never see counts of runs. Until topics are given out to them, the page says when that will be.
    """
    seat = access_seat(request.user, slug, Role.ORGANISER, Role.PARTICIPANT)
    if not is_open_to(seat, Part.TOPICS):
        now = is_out(seat.campaign, Part.TOPICS, timezone.now())
        on = "" if now else release_words(seat.campaign, Part.TOPICS)
        return render_page(request, "assess/topics/topics_to_come.html", seat, on=on)
    table = _table(request, seat)
    if table.wants_csv:
        return csv_response(table, name="topics.csv")
    form = TopicsForm(topic_files=track_of(seat.campaign).topic_files) if seat.is_organiser else None
    return _page(request, seat, table, form)


@login_required
@require_http_methods(["POST"])
def topics_load(request: HttpRequest, slug: str) -> HttpResponse:
    """Load a topic file, the whole file or nothing. If it is refused, show the page with the errors."""
    seat = access_as_organiser(request.user, slug)
    form = TopicsForm(request.POST, request.FILES, topic_files=track_of(seat.campaign).topic_files)
    refused: Refused | None = None
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            with open_upload(file, name=file.name) as opened:
                loaded = load_topics(
                    actor=seat.user,
                    campaign=seat.campaign,
                    file_key=form.cleaned_data["file_key"],
                    stream=opened.stream,
                    name=file.name,
                )
        except Refused as error:
            refused = error
        else:
            messages.success(
                request,
                ngettext(
                    "%(file)s: %(count)s topic added, %(changed)s changed, %(unchanged)s unchanged; %(kept)s others "
                    "kept.",
                    "%(file)s: %(count)s topics added, %(changed)s changed, %(unchanged)s unchanged; %(kept)s others "
                    "kept.",
                    loaded.added,
                )
                % {
                    "file": file.name,
                    "count": grouped(loaded.added),
                    "changed": loaded.changed,
                    "unchanged": loaded.unchanged,
                    "kept": loaded.kept,
                },
            )
            _say_issues(request, loaded.report)
            return redirect("topics", slug)
    status = refused.status if refused else 422
    return _page(request, seat, _table(request, seat), form, refused=refused, status=status)


SAID_AT_ONCE = 8


def _say_issues(request: HttpRequest, report: Report) -> None:
    """Show the first warnings and notes about a loaded file on the next page, and how many more there are."""
    said = report.issues[:SAID_AT_ONCE]
    for issue in said:
        place = (
            gettext("Line %(where)s: ") % {"where": issue.where}
            if isinstance(issue.where, int)
            else f"{issue.where}: "
            if issue.where
            else ""
        )
        messages.add_message(
            request, messages.WARNING if issue.severity == "warning" else messages.INFO, place + issue.message
        )
    if (more := report.warnings + report.notes - sum(issue.count for issue in said)) > 0:
        messages.info(
            request,
            ngettext("%(count)s more remark in the file.", "%(count)s more remarks in the file.", more)
            % {"count": grouped(more)},
        )


@login_required
@require_safe
def topics_file(request: HttpRequest, slug: str, key: str) -> StreamingHttpResponse:
    """Return the topics in the track's own format, for organisers and participants."""
    seat = access_seat(request.user, slug, Role.ORGANISER, Role.PARTICIPANT)
    found = access_topic_file(seat, key)
    return download(topic_file_lines(seat.campaign, found), name=f"{seat.campaign.slug}-{found.name}")


def _table(request: HttpRequest, seat: Seat) -> Table:
    placed = with_place(access_topics(seat).select_related("parent").defer("fields"))
    rows = placed.annotate(answered=_runs_that_answer())
    has_series = has_series_in(seat.campaign)
    left_out = {key for key, is_out in (("series", not has_series), ("responses", not seat.is_organiser)) if is_out}
    columns = [column for column in COLUMNS if column.key not in left_out]
    tasks = [Option(value=task.key, label=task.label, where=Q(task=task.key)) for task in track_of(seat.campaign).tasks]
    series = Option(value="series", label=gettext("series only"), where=Q(task=""))
    filters = (Filter(key="task", label=gettext("Type"), options=(*tasks, *([series] if has_series else []))),)
    return make_table(request, rows, columns=columns, filters=filters, search=("number", "text"), order="number")


def _runs_that_answer() -> Coalesce:
    """Return an expression for the number of runs that answer a topic, counted in a subquery, so that the query for its
    place does not change the number.
    """
    same = Topic.with_dropped.filter(pk=OuterRef("pk")).order_by().annotate(answers=Count("responses"))
    return Coalesce(Subquery(same.values("answers")), 0)


def _page(
    request: HttpRequest,
    seat: Seat,
    table: Table,
    form: TopicsForm | None,
    *,
    refused: Refused | None = None,
    status: int = 200,
) -> HttpResponse:
    labels = {task.key: task.label for task in track_of(seat.campaign).tasks}
    now, parts = timezone.now(), (Part.LISTS, Part.PACKAGE)
    dates = {part: "" if is_out(seat.campaign, part, now) else release_words(seat.campaign, part) for part in parts}
    given = [(part, is_open_to(seat, part), dates[part]) for part in parts]
    listed = ListedDocument.objects.filter(topic__campaign=seat.campaign).exists() if seat.is_organiser else False
    return render_page(
        request,
        "assess/topics/topics.html",
        seat,
        table=table,
        rows=[(row, labels.get(row.task) or gettext("series")) for row in table.rows],
        has_series=any(column.key == "series" for column in table.columns),
        form=form,
        refused=refused,
        issues=refused.issues if isinstance(refused, BadFile) else (),
        listed=listed,
        drafting=track_of(seat.campaign).drafting,
        given_twice=track_of(seat.campaign).given_twice,
        files=topic_files(seat.campaign),
        given=given,
        has_agreement=seat.campaign.agreement_for,
        status=status,
    )
