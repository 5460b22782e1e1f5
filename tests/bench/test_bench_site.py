"""The walk through a campaign of real size, at the smallest: it reaches every address, and none costs many queries."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.conf import settings

from assay_site.ways_in_urls import VIEWS
from assess.assignments.queries.waiting import waiting_reasons
from assess.campaigns import queries
from assess.campaigns.models import Campaign
from assess.campaigns.queries import ledger_point
from bench.bench_site import BAD, Opened, Row, call_after_one, call_twice, figures, open_once, walk
from bench.real_campaigns import Nuggets, Ranked, make
from bench.site_addresses import named_patterns
from bench.site_commands import campaign_commands
from tests.access_table import OWN_RULES, TABLE

pytestmark = pytest.mark.django_db
SHAPES = {
    "robust": Ranked(title="R", runs=7, topics=6, ranks=12, depth=6, pooled=14, people=4, highest_grade=2, disagree=30),
    "tac": Nuggets(title="T", runs=6, topics=6, strings=2, nuggets=4, matches=60, voters=2, people=4),
}
NOT_THERE = {
    *("document", "document-raw", "document-page", "work-document", "api-document", "api-document-raw"),
    *("document-cluster", "classes-document", "api-class-list", "topic-draft", "api-topic-draft-detail", "question"),
    *(
        "release-file",
        "release-names",
        "release-publish",
        *("release-public", "public-release", "public-release-point", "public-release-file"),
        "api-release-file",
        "api-job-detail",
        *("api-import", "api-backup", "api-backup-file", "backup-file", "security-txt"),
    ),
    *("run-repaired", "run-repaired-file", "api-run-repaired", "invitation", "new-password", "readyz"),
    *("adjudicate-item", "matches-response", "practice-people", "api-practice-list", "practice", "api-webhook-calls"),
    *("webhook", "metrics", "mail-notices", *(name for *_, name in VIEWS)),
}
"""About one thing that these campaigns do not hold (documents, answer classes, drafts of topics, questions, releases,
jobs, imports, backups, invitations, repaired runs, practice, webhooks), off by itself, or to which no page links.
"""
OF_RUNS_THAT_RANK = (
    *("adjudicate", "adjudication", "api-disagreement-list", "freeze", "overview", "assignments"),
    *("pool", "pool-build", "pool-plan", "pool-quality", "progress", "runs", "api-progress-summary", "agreement"),
    *("api-assignment-items", "api-assignment-judgments", "work-item", "work-lines", "api-pool-quality"),
    *("scores", "score-topics", "score-explain", "score-judgments", "api-score-judgments"),
)
MOST = 36
QUERIES = {
    **dict.fromkeys(("exports-zip", "api-export-all-files"), 120),  # some a file
    **dict.fromkeys(("api-judgment-list", "api-judgment-lines"), 68),  # each kind of work reads its own rows
    **dict.fromkeys(("stability", "api-stability-list"), 58),  # what figures depend on, of both sides
    **dict.fromkeys(("freeze", "api-release-missing"), 50),
    **dict.fromkeys(("agreement", "agreement-items", "api-agreement-list"), 48),
    **dict.fromkeys(("analysis", "api-progress-list", "score-explain", "score-judgments"), 45),
    **dict.fromkeys(("pool-quality", "api-pool-quality"), 118),  # scores all runs anew without each team
}
"""The most that an address may ask of the database, however many topics, runs and people there are."""


def test_every_address_is_opened_at_a_bounded_number_of_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "ALLOWED_HOSTS", ["testserver"])
    every = {name for name in named_patterns() if not name.endswith("-plot")}  # what is drawn was read for its page
    wanted = {"tac": every, "robust": OF_RUNS_THAT_RANK}
    rows = [
        (name, row) for name, names in wanted.items() for row in walk(make(name, shape=SHAPES[name]), open_once, names)
    ]
    opened = {row.name.partition(" ")[0] for _, row in rows}
    shown = {each for each, (who, _) in TABLE.items() if who} | OWN_RULES
    assert (shown & every) - opened == NOT_THERE
    assert {row.first.status for _, row in rows} == {200, 302}
    dear = {
        (name, row.name): row.first.queries
        for name, row in rows
        if row.first.queries > QUERIES.get(row.name.partition(" ")[0], MOST)
    }
    assert dear == {}
    told = {each.figure.name: each for each in figures("tac", [row for name, row in rows if name == "tac"])}
    assert {"slowest", "others"} <= told.keys()


def test_commands_are_called_twice_at_a_bounded_number_of_queries() -> None:
    rows = [call_twice(command) for command in campaign_commands(make("tac", shape=SHAPES["tac"]))]
    called = {row.name.split()[1] for row in rows}
    assert {"progress", "agreement", "score", "stability", "build_pool", "check_run", "score_report", "export"} < called
    assert {row.name for row in rows if row.again.status >= BAD} == set()
    assert {row.name: row.first.queries for row in rows if row.first.queries > MOST_OF_A_COMMAND} == {}


MOST_OF_A_COMMAND = 110  # an export, some a file


def test_scores_are_asked_for_again_after_one_judgment() -> None:
    for name, shape in SHAPES.items():
        campaign = make(name, shape=shape)
        (score,) = (command for command in campaign_commands(campaign) if command.name == "score")
        before, point = call_twice(score), ledger_point(campaign)
        row = call_after_one(score, campaign)
        assert (row.name, row.again.status) == ("manage.py score after one judgment", 200)
        assert ledger_point(campaign) == point + 1
        assert before.again.queries < row.first.queries


def test_why_work_waits_is_found_without_reading_settings_for_each_assignment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 7,000 assignments it took two seconds."""
    works = list(make("robust", shape=SHAPES["robust"]).assignments.select_related("topic", "topic__parent"))

    def refuse(campaign: Campaign) -> None:
        raise AssertionError(f"the settings of {campaign} are read")

    monkeypatch.setattr(queries, "settings_of", refuse)
    with pytest.raises(AssertionError, match="are read"):
        queries.stage_of(works[0].campaign, works[0].stage)
    assert len(works) == 12 and waiting_reasons(works) == {}


def test_no_more_than_a_second_is_asked_of_pages_alone() -> None:
    opened = Opened(status=200, seconds=0.5, queries=1, size=1)
    long = replace(opened, seconds=9.0)
    rows = [
        Row(name=name, first=each, again=each, worker=0.0, grew=0.0)
        for name, each in (("scores", opened), ("manage.py export", long))
    ]
    asked = {each.figure.name: (each.figure.asked, each.median) for each in figures("tac", rows)}
    assert asked == {"slowest": (1.0, 0.5), "scores": (1.0, 0.5), "manage.py export": (None, 9.0)}
