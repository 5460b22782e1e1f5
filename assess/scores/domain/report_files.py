"""A team's score report as two files that need nothing else: a page to be read or printed, and a table."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.html import escape

from assess.base.errors import Conflict
from assess.campaigns.activity import record_activity
from assess.campaigns.days import clocks_of
from assess.scores.domain.report_plots import differences_svg, parts_of, topics_svg
from assess.scores.domain.reports import HEADER, MeasureReport, ScoreReport, report_rows
from scoring.spreadsheets import csv_lines

PAGE, TABLE = "score-report.html", "score-report.csv"
STYLES = ("tokens.css", "base.css", "tables.css", "desk.css", "report.css")


@dataclass(frozen=True, slots=True)
class PlotAsked:
    """One plot of a measure: "topics" or "differences" (of a run), in parts from 1; ``label`` says what it shows."""

    kind: str
    run: str
    part: int
    label: str


@dataclass(frozen=True, slots=True)
class ReportPlot:
    """A plot as a page shows it; ``dark`` is the address of the same for dark pages, "" where there is none."""

    label: str
    address: str
    dark: str = ""


def plot_of(
    report: ScoreReport, measure: MeasureReport, kind: str, *, run: str = "", part: int = 1, dark: bool = False
) -> bytes:
    """One plot of a report: "topics" with all of the team's runs, or the "differences" of one run."""
    label = measure.column.label
    if kind == "differences":
        title = f"{label} of {run}: difference from the median, by topic"
        return differences_svg(measure.of_run(run), title=title, part=part, dark=dark)
    lines = [
        (line.topic, line.median, line.best, {each.run: each.value for each in line.runs if each.value is not None})
        for line in measure.topics
    ]
    tags = [run.tag for run in report.runs]
    return topics_svg(lines, tags, title=f"{label} by topic", part=part, dark=dark)


def write_report(*, actor: User, report: ScoreReport, folder: Path) -> tuple[Path, Path]:
    """Write the page and the table into a folder, made where there is none.

    The page holds its styles and plots, so it opens anywhere. Refused: a folder that holds a report already.
    """
    page, table = folder / PAGE, folder / TABLE
    if page.exists() or table.exists():
        raise Conflict(f"{folder} holds a score report already. Name another folder, or take that report away.")
    folder.mkdir(parents=True, exist_ok=True)
    page.write_text(report_page(report), encoding="utf-8")
    with table.open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(HEADER, report_rows(report)))
    data = {"team": report.team, "as_of": report.as_of, "runs": len(report.runs)}
    with transaction.atomic():
        record_activity(actor=actor, action="report.write", campaign=report.campaign, about=report.campaign, data=data)
    return page, table


def report_page(report: ScoreReport) -> str:
    """The whole report as one page of HTML: its title and styles, then the same part that the site's page shows."""
    styles = "\n".join((settings.BASE_DIR / "static/css" / name).read_text(encoding="utf-8") for name in STYLES)
    shown = [(measure, _plots(report, measure)) for measure in report.official]
    with clocks_of(report.campaign):
        body = render_to_string("assess/scores/parts/score_report.html", {"report": report, "measures": shown})
    title = escape(f"Scores of {report.team} · {report.campaign.title}")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<style>\n{styles}</style>\n</head>\n<body>\n<main class="page report">\n{body}</main>\n</body>\n</html>\n'
    )


def _plots(report: ScoreReport, measure: MeasureReport) -> list[ReportPlot]:
    """Each plot of a measure, the image itself as its address; light alone, as paper is."""
    return [
        ReportPlot(each.label, _embedded(plot_of(report, measure, each.kind, run=each.run, part=each.part)))
        for each in plots_of(report, measure)
    ]


def plots_of(report: ScoreReport, measure: MeasureReport) -> Iterator[PlotAsked]:
    """The plots that a measure has: the topics with all runs, then the differences of each run."""
    for part in range(1, parts_of(len(measure.topics)) + 1):
        yield PlotAsked("topics", "", part, f"{measure.column.label} by topic: median, best and your runs")
    for run in report.runs:
        count = len(measure.of_run(run.tag))
        for part in range(1, parts_of(count) + 1 if count else 1):
            label = f"{measure.column.label} of {run.tag} by topic: difference from the median"
            yield PlotAsked("differences", run.tag, part, label)


def _embedded(image: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(image).decode('ascii')}"
