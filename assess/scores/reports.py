"""Score reports: a team's values beside the median and the best of all runs, without saying whose these are."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.translation import gettext

from assess.base.errors import Conflict, NotFound
from assess.campaigns.activity import record_activity
from assess.campaigns.dates import clocks_of
from assess.campaigns.models import Campaign
from assess.campaigns.track_texts import in_language
from assess.judging.snapshots import Snapshot
from assess.protocol import MeasureColumn
from assess.runs.models import Run
from assess.runs.queries import accepted_runs
from assess.scores.domain import ScoreCampaign, score_campaign
from assess.scores.plots import differences_svg, parts_of, topics_svg
from assess.scores.states import CampaignScores
from scoring.release.tables import ALL, MeasureStanding, StandingLine
from scoring.spreadsheets import csv_lines


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportLine(StandingLine):
    """The team's runs on one topic (or "all"), compared with all runs. ``text`` is the topic's."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureReport:
    """A measure over all topics, and by topic in the order in which topics are scored.

    ``is_by_topic`` says whether any of the team's runs has a value on a single topic, also where ``topics`` is empty
    because they were not asked for.
    """

    column: MeasureColumn
    overall: ReportLine
    topics: tuple[ReportLine, ...]
    is_by_topic: bool

    def of_run(self, run: str) -> list[tuple[str, float]]:
        """Return (topic, difference from the median) for topics on which the run has a value, best first."""
        found = [
            (line.topic, each.difference)
            for line in self.topics
            for each in line.runs
            if each.run == run and each.difference is not None
        ]
        return sorted(found, key=lambda pair: -pair[1])


TopicsPage = tuple[str, "Page[ReportLine]"]
"""The parameter of a measure's pages of topics, and one of these pages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreReport:
    """The whole report for one team. ``measures`` has those for which any of its runs has a value, official ones first.

    ``scored`` is the number of all runs with values in the campaign.
    """

    campaign: Campaign
    team: str
    scores: CampaignScores
    runs: tuple[Run, ...]
    scored: int
    measures: tuple[MeasureReport, ...]

    @property
    def as_of(self) -> int:
        """The ledger point of the scores."""
        return self.scores.as_of

    @property
    def official(self) -> tuple[MeasureReport, ...]:
        """The official measures."""
        return tuple(each for each in self.measures if each.column.official)

    def measure(self, key: str) -> MeasureReport | None:
        """Return the measure with this key, or None."""
        return next((each for each in self.measures if each.column.key == key), None)


def teams_with_runs(campaign: Campaign) -> list[str]:
    """Return the teams of accepted runs, by name."""
    return sorted(set(accepted_runs(campaign).exclude(team="").order_by().values_list("team", flat=True)))


def score_report(
    snapshot: Snapshot, *, team: str, score: ScoreCampaign = score_campaign, by_topic: Collection[str] | None = None
) -> ScoreReport:
    """Return the report of one team in a snapshot. Raise `NotFound` for a team without accepted runs.

    Median and best are over all runs with a value, including the team's own. With ``by_topic`` (keys of measures), only
    these measures and the official ones have values for each topic; without it, all have. The cost is that of
    ``score``, and a second for some hundred thousand values.
    """
    campaign = snapshot.campaign
    runs = tuple(accepted_runs(campaign).filter(team=team))
    if not team or not runs:
        raise NotFound(gettext("The team “%(team)s” has no accepted run. A report needs one.") % {"team": team[:50]})
    scores = score(snapshot, None)
    texts = dict(campaign.topics.values_list("number", "text"))
    ranking = {each.key for each in scores.measures if each.ranks}
    official = {each.key for each in scores.measures if each.official}
    tags, in_full = [run.tag for run in runs], None if by_topic is None else official.union(by_topic)
    by_measure = scores.tables.standings(tags, ranking=ranking, in_full=in_full)
    measured = scores.tables.measured(tags)
    measures = []
    for column in sorted(scores.measures, key=lambda each: not each.official):
        if column.key in measured:
            lines = [_line(each, texts) for each in by_measure.get(column.key, [])]
            overall = next((line for line in lines if line.topic == ALL), _without_scores(runs))
            topics = tuple(line for line in lines if line.topic != ALL)
            is_by_topic = measured[column.key]
            measures.append(MeasureReport(column=column, overall=overall, topics=topics, is_by_topic=is_by_topic))
    return ScoreReport(
        campaign=campaign,
        team=team,
        scores=scores,
        runs=runs,
        scored=scores.tables.scored,
        measures=tuple(measures),
    )


def report_rows(report: ScoreReport, released: Mapping[str, str]) -> Iterable[tuple[str | float | int | None, ...]]:
    """Yield every value of the report, a line for each run, measure and topic; means have the topic "all".

    A line has the columns of `HEADER`; what is undefined is None. ``released`` gives the names of runs in the published
    release, by tag.
    """
    for measure in report.measures:
        for line in (measure.overall, *measure.topics):
            for each in line.runs:
                yield (
                    each.run, measure.column.key, line.topic, each.value, line.median, line.best, each.difference,
                    each.rank, each.sharing, line.count, released.get(each.run, ""),
                )  # fmt: skip


HEADER = ("run", "measure", "topic", "value", "median", "best", "difference", "rank", "sharing", "runs", "released_as")


def _line(line: StandingLine, texts: Mapping[str, str]) -> ReportLine:
    return ReportLine(
        topic=line.topic,
        text=texts.get(line.topic, ""),
        runs=line.runs,
        median=line.median,
        best=line.best,
        count=line.count,
    )


def _without_scores(runs: Iterable[Run]) -> ReportLine:
    """Return a line of means for a measure that has none."""
    standings = tuple(MeasureStanding(run=run.tag) for run in runs)
    return ReportLine(topic=ALL, text="", runs=standings, median=None, best=None, count=0)


# A team's score report as two files that need nothing else: a page to be read or printed, and a table.

PAGE, TABLE = "score-report.html", "score-report.csv"
STYLES = ("tokens.css", "base.css", "tables.css", "desk.css", "report.css")


@dataclass(frozen=True, slots=True)
class PlotAsked:
    """A plot of a measure: "topics", or "differences" of a run. Parts are numbered from 1; ``label`` says what the plot
    shows.
    """

    kind: str
    run: str
    part: int
    label: str


@dataclass(frozen=True, slots=True)
class ReportPlot:
    """A plot on a page. ``dark`` is the address of its dark version, or "" if there is none."""

    label: str
    address: str
    dark: str = ""


def plot_of(
    report: ScoreReport, measure: MeasureReport, kind: str, *, run: str = "", part: int = 1, dark: bool = False
) -> bytes:
    """Return a plot of a report: "topics" with all of the team's runs, or the "differences" of one run."""
    label = measure.column.label
    if kind == "differences":
        title = gettext("%(label)s of %(run)s: difference from the median, by topic") % {"label": label, "run": run}
        return differences_svg(measure.of_run(run), title=title, part=part, dark=dark)
    lines = [
        (line.topic, line.median, line.best, {each.run: each.value for each in line.runs if each.value is not None})
        for line in measure.topics
    ]
    tags = [run.tag for run in report.runs]
    return topics_svg(lines, tags, title=gettext("%(label)s by topic") % {"label": label}, part=part, dark=dark)


def write_report(*, actor: User, report: ScoreReport, released: Mapping[str, str], folder: Path) -> tuple[Path, Path]:
    """Write the page and the table into a folder, made if it does not exist, and return their two paths.

    The page includes its styles and plots, so it opens anywhere. An activity records the report. Raises `Conflict` if
    the folder has a report already.
    """
    page, table = folder / PAGE, folder / TABLE
    if page.exists() or table.exists():
        raise Conflict(
            gettext("%(folder)s holds a score report already. Name another folder, or take that report away.")
            % {"folder": folder}
        )
    folder.mkdir(parents=True, exist_ok=True)
    page.write_text(report_page(report), encoding="utf-8")
    with table.open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(HEADER, report_rows(report, released)))
    data = {"team": report.team, "as_of": report.as_of, "runs": len(report.runs)}
    with transaction.atomic():
        record_activity(actor=actor, action="report.write", campaign=report.campaign, about=report.campaign, data=data)
    return page, table


def report_page(report: ScoreReport) -> str:
    """Return the whole report as one HTML page: title, styles, and the same content as the site's page."""
    styles = "\n".join((settings.BASE_DIR / "static/css" / name).read_text(encoding="utf-8") for name in STYLES)
    shown = [(measure, _plots(report, measure), _all_topics(measure)) for measure in report.official]
    with clocks_of(report.campaign):
        body = render_to_string("assess/scores/parts/score_report.html", {"report": report, "measures": shown})
    title = escape(f"Scores of {report.team} · {report.campaign.title}")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<style>\n{styles}</style>\n</head>\n<body>\n<main class="page report">\n{body}</main>\n</body>\n</html>\n'
    )


def _all_topics(measure: MeasureReport) -> TopicsPage:
    return "", Paginator(measure.topics, max(len(measure.topics), 1)).get_page(1)


def _plots(report: ScoreReport, measure: MeasureReport) -> list[ReportPlot]:
    """Return each plot of a measure with the image itself as its address, for light pages only, since paper is
    light.
    """
    return [
        ReportPlot(each.label, _embedded(plot_of(report, measure, each.kind, run=each.run, part=each.part)))
        for each in plots_of(report, measure)
    ]


def plots_of(report: ScoreReport, measure: MeasureReport) -> Iterator[PlotAsked]:
    """Yield the plots of a measure: the topics with all runs, then the differences of each run."""
    for part in range(1, parts_of(len(measure.topics)) + 1):
        yield PlotAsked(
            "topics",
            "",
            part,
            gettext("%(label)s by topic: median, best and your runs") % {"label": in_language(measure.column.label)},
        )
    for run in report.runs:
        count = len(measure.of_run(run.tag))
        for part in range(1, parts_of(count) + 1 if count else 1):
            label = gettext("%(label)s of %(run)s: difference from the median, by topic") % {
                "label": in_language(measure.column.label),
                "run": run.tag,
            }
            yield PlotAsked("differences", run.tag, part, label)


def _embedded(image: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(image).decode('ascii')}"
