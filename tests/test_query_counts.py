"""Every page and API list with rows costs the same queries with one row more and with three more of everything."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from assess.base import process
from assess.base.files import store_file
from assess.campaigns.activity import record_activity
from assess.models import (
    Assignment,
    Campaign,
    DocumentCluster,
    HelpRequest,
    Item,
    Job,
    ListedDocument,
    Membership,
    Pool,
    Run,
    Topic,
)
from assess.topic_drafts.domain.finding import judge_document
from assess.webhooks.models import WebhookCall
from nuggets.matches.record import review_items
from nuggets.models import NuggetList
from nuggets.writing.lists import freeze_list, revise_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.access_table import PEOPLE, TABLE
from tests.assess import judged_campaign as judging
from tests.assess.topic_drafts.made_drafts import sent

pytestmark = pytest.mark.django_db

# Whose page (a letter of `PEOPLE`) -> its name -> its queries besides that of the session. What has no rows to grow is
# named below instead.
BY_ROWS = (
    "assess.analysis.domain.kept_agreement.AT_ONCE",
    "assess.exports.kept.SMALL",
    "assess.machines.kept_drafts.AT_ONCE",
    "assess.pools.domain.quality.AT_ONCE",
    "assess.progress.domain.AT_ONCE",
    "assess.progress.queries.counted_since.WITH_POOL",
)
"""Limits on rows up to which there are fewer queries."""

COSTS: dict[str, dict[str, int]] = {
    "O": {
        "home": 7,
        "tokens": 2,
        "api-token-list": 3,
        "overview": 25,
        "freeze": 71,
        "release": 8,
        "topics": 8,
        "topic-drafts-desk": 8,
        "api-topic-draft-list": 7,
        "topic": 10,
        "topic-change": 17,
        "judged-topics": 7,
        "api-judged-topics": 5,
        "topics-file": 5,
        "documents": 17,
        "api-translations": 5,
        "document-clusters": 8,
        "document-cluster": 11,
        "api-document-clusters": 5,
        "documents-take-out": 4,
        "works": 4,
        "webhooks": 4,
        "webhook": 7,
        "runs": 9,
        "run": 6,
        "run-report": 7,
        "pool": 29,  # counted anew, as at the first opening
        "pool-build": 15,
        "pool-plan": 4,
        "pool-quality": 4,
        "people": 10,
        "invitations": 5,
        "double-judging": 8,
        "consistency": 7,
        "assignments": 32,  # the tally of each of five stages
        "assignments-balance": 18,
        "progress": 56,
        "questions": 5,
        "machines": 8,
        "api-machine-list": 8,
        "scores": 50,
        "score-topics": 47,
        "score-explain": 55,
        "score-judgments": 76,
        "score-report": 51,
        "analysis": 48,
        "exports": 9,  # three of whose judgments a part may be
        "exports-zip": 105,
        "audit": 6,
        "time-sheets": 30,  # counted anew, as at the first opening
        "activity": 7,  # with the names of the people whom its rows name
        "agreement": 46,
        "agreement-items": 47,
        "stability": 100,
        "significance": 49,
        "api-agreement-list": 42,
        "api-stability-list": 99,
        "api-significance-list": 48,
        "search": 3,
        "document-list": 6,
        "guidelines": 4,
        "api-campaign-list": 3,
        "api-campaign-activity": 5,
        "api-guideline-list": 5,
        "api-member-list": 5,
        "api-invitation-list": 5,
        "api-topic-list": 5,
        "api-topic-file": 5,
        "api-document-list-list": 5,
        "api-document-list": 6,
        "api-document-list-all": 5,
        "api-search": 3,
        "api-judgment-list": 50,
        "api-judgment-lines": 50,
        "api-webhook-list": 5,
        "api-webhook-calls": 6,
        "api-job-list": 5,
        "api-run-list": 5,
        "api-run-detail": 7,
        "api-pool-list": 5,
        "api-pool-detail": 9,  # as the page counted it
        "api-pool-plan": 3,
        "api-pool-quality": 4,
        "api-assignment-list": 5,
        "api-help-list": 5,
        "api-progress-list": 51,
        "api-progress-summary": 56,
        "api-export-list": 3,
        "api-export-all-files": 105,
        "api-release-list": 6,
        "api-release-missing": 70,
        "api-score-list": 47,
        "api-score-explain": 62,
        "api-score-judgments": 41,
        "api-score-report": 50,
    },
    "A": {
        "work": 25,
        "look-again": 30,
        "topic-drafts": 6,
        "topic-draft": 10,
        "workbench": 23,
        "workbench instances": 23,
        "workbench classes": 20,
        "workbench nuggets": 20,
        "workbench matches": 28,
        "work-item": 8,
        "work-lines": 11,
        "classes-document": 7,
        "matches-response": 19,
        "string-document": 7,
        "nuggets-like": 6,
        "api-assignment-items": 7,
        "api-assignment-ask": 6,
        "api-assignment-judgments": 5,
        "api-nugget-list-list": 7,
        "api-nugget-list-counting": 5,
        "api-response-list": 19,
        "api-match-list": 7,
        "api-review-list": 7,
        "api-class-list": 7,
        "home": 5,
        "api-assignment-list": 5,
        "api-topic-list": 5,
    },
    "B": {
        "api-vote-list": 7,
        "workbench votes": 18,
        "work": 15,
    },
    "J": {
        "api-disagreement-list": 14,
        "adjudication": 10,
        "adjudicate": 23,
        "adjudicate-item": 15,
    },
    "P": {
        "overview": 3,
        "topics": 7,
        "topic": 5,
        "runs": 9,
        "run": 6,
        "api-run-list": 5,
    },
}
WITHOUT_ROWS = {
    # rows of the site's keeper: tests/assess/releases/test_site_jobs.py
    *("imports", "backups", "backup-file"),
    "site-audit",  # as "audit", for the site's keeper: tests/assess/organising/test_audit.py
    *("api-documents-taken-out", "api-documents-prepared", "design-schema"),
    "documents-records",
    "login",
    "campaign-copy",
    # of designs alone: tests/assess/organising/test_design_versions.py
    *("design", "design-new", "design-schema", "api-design-list", "api-design-saved"),
    # with drafts of machines alone: tests/nuggets/test_machine_drafts.py
    *("machines-offered", "api-machine-offered", "api-nugget-list-drafts"),
    "api-practice-list",  # of designs alone: tests/assess/practice/test_practice.py
    *("given-twice", "api-given-twice"),  # of Context25 alone: tests/tracks/test_context25_choices.py
    "profile",
    "password_change",
    "invitation",
    "help",
    "guide",
    "campaign-new",
    "campaign-state",
    "stop-judging",
    "unfreeze",
    "release-names",
    "release-file",
    "release-publish",
    "release-public",
    # tests/assess/releases/test_public_release.py
    *("public-release", "public-release-point", "public-release-file"),
    "api-release-key",
    "api-release-names",
    "api-release-file",
    "run-new",
    "run-file",
    "run-check",
    "run-repaired",
    "run-repaired-file",
    "run-withdraw",
    "member-remove",
    "member-role",
    "invitations-list",
    "assignment-hand-over",
    "work-rules",
    "plants",
    "consistency-plot",
    "api-control-item-list",
    "assignment-return",
    "score-plot",
    "score-report-plot",
    "analysis-plot",
    "agreement-plot",
    "stability-plot",
    "significance-plot",
    "pool-plan-plot",
    "pool-quality-plot",
    "export-file",
    "settings",
    "guidelines-edit",
    "guideline-version",
    "document",
    "document-raw",
    "work-document",
    "api-schema",
    "api-track-list",
    "api-import-list",
    "api-import",
    "api-backup-list",
    "api-backup",
    "api-backup-file",
    "api-topic",
    "api-topic-draft-detail",
    "api-topic-file-list",
    "api-user-agreement",
    "user-agreement",
    "member-name",
    "member-erase",
    "member-password",
    "new-password",
    "notices",
    "api-document",
    "api-document-raw",
    "api-campaign-detail",
    "api-job-detail",
    "api-run-file",
    "api-run-repaired",
    "api-assignment-detail",
    "api-export-detail",
    "api-score-measures",
    "question",
}
BY_THE_DOCUMENT = {
    "documents-package",
    "api-package",
    "document-list-file",
    "api-document-list-file",
}  # streamed: one body in memory at a time, so one query each


@pytest.fixture
def grown(request: pytest.FixtureRequest, addresses: dict[str, str], campaign: Campaign) -> dict[str, str]:
    """The addresses of `test_access`, when there are so many rows more of everything that a campaign holds."""
    numbers = range(1, request.param + 1)
    people = {user.username: user for user in User.objects.all()}
    topics = {topic.number: topic for topic in campaign.topics.all()}
    held = Assignment.objects.filter(topic__number__in=["1.1", "1.2"])
    second = held.get(assessor__username="judge_two")
    benches = {each.stage: each for each in held.exclude(pk=second.pk)}
    colours = factories.pooled(topics["1.1"], [f"colour {number}" for number in numbers])
    strings = factories.pooled(topics["1.2"], [f"It has {number} wheels." for number in numbers])
    document = campaign.documents.exclude(docno="COPY").get()
    Item.objects.filter(pk__in=[each.pk for each in colours + strings]).update(document=document)
    for number in numbers:
        add_seats(campaign, number, people)
        add_runs(campaign, number, people, topics, [colours[number - 1]], [strings[number - 1]])
        add_topics(campaign, number, people, topics["1"])
        HelpRequest.objects.create(
            assignment=benches["instances"], item=colours[0], text="Why?", client_key=judging.key("help", number)
        )
    add_nuggets(benches, strings)
    for colour in colours:
        judging.judge(benches["instances"], colour.text, 1)
        judging.judge(second, colour.text, -1)
    for colour in colours:
        judging.group(benches["classes"], colour.text, colour.text)
    desks = {f"workbench {name}": reverse("workbench", args=[campaign.slug, each.pk]) for name, each in benches.items()}
    return {**addresses, **desks}


def add_seats(campaign: Campaign, number: int, people: dict[str, User]) -> None:
    """One more campaign of everybody's, invitation, guideline version, work of the worker and act."""
    other = Campaign.objects.create(slug=f"other-{number}", title="Other", track=campaign.track)
    for seat in list(campaign.memberships.all()):
        if seat.user.username in PEOPLE.values():
            Membership.objects.create(campaign=other, user=seat.user, role=seat.role, team=seat.team)
    campaign.invitations.create(
        role="assessor", token_sha256=f"{number:064}", expires_at="2036-01-01T00:00Z", created_by=people["organiser"]
    )
    robot = factories.member(campaign, f"robot{number}", "assessor")
    Membership.objects.filter(user=robot).update(is_machine=True)
    Pool.objects.create(campaign=campaign, task="other", recipe={}, digest=f"{number:064}")
    factories.release(campaign, people["organiser"], archive=b"%d" % number)
    campaign.guidelines.create(version=number + 1, text="Judge well.", published_by=people["organiser"])
    Job.objects.create(campaign=campaign, kind="documents", started_by=people["organiser"])
    record_activity(actor=people["organiser"], action="topics.load", campaign=campaign)
    factories.api_token(people["organiser"], ["read", "judge", "read judge"][number - 1])
    campaign.webhooks.create(url="https://hooks.example.org/", events="release", told=0, created_by=people["organiser"])
    WebhookCall.objects.create(webhook=campaign.webhooks.all()[0], event="release", body={})


def add_runs(
    campaign: Campaign,
    number: int,
    people: dict[str, User],
    topics: dict[str, Topic],
    colours: list[Item],
    strings: list[Item],
) -> None:
    """One more run of the participant's team, with answers to both questions."""
    run = factories.run(campaign, f"Harbor{number + 1}", people["participant"], priority=number + 1)
    kept = store_file(io.BytesIO(f"1.1 {run.tag} {colours[0].docno} {colours[0].text}\n".encode()))
    Run.objects.filter(pk=run.pk).update(file=kept.sha256, size=kept.size)
    factories.response(run, topics["1.1"], colours)
    factories.response(run, topics["1.2"], strings)


def add_topics(campaign: Campaign, number: int, people: dict[str, User], target: Topic) -> None:
    """One more question of the series and one more series, a document listed, a seat with work, work for who judge."""
    place = number + 10
    more = factories.topic(campaign, f"1.{place}", "Which?", task="rigid", parent=target, ordinal=place)
    series = factories.topic(campaign, f"{place}", "Kites", task="")
    own = factories.topic(campaign, f"{place}.1", "Which?", task="rigid", parent=series, ordinal=1)
    document = factories.document(campaign, f"DOC-{number}")
    campaign.translations.create(docno=document.docno, language="de", tool="", sha256="", text="Blau.")
    for topic in (target, series):
        for each in (document, campaign.documents.get(docno="COPY")):
            DocumentCluster.objects.get_or_create(topic=topic, document=each, defaults={"number": 1})
    for listing in (target, series):
        ListedDocument.objects.create(topic=listing, rank=place, docno=document.docno, score=1.0)
    sent(campaign, people["assessor"])
    judge_document(
        actor=people["assessor"],
        draft=campaign.topic_drafts.get(number=1),
        docno=document.docno,
        is_relevant=True,
        client_key=judging.key("relevant", number),
    )
    factories.pooled(more, ["a thing"])
    factories.assignment(own, "instances", factories.member(campaign, f"worker{number}", "assessor"))
    factories.assignment(more, "instances", people["assessor"])
    factories.assignment(own, "votes", people["second_assessor"], role="second")


def add_nuggets(benches: dict[str, Assignment], strings: list[Item]) -> None:
    """A version of the list with one more nugget for each string, voted on, matched in it, the string reviewed."""
    writing, matching = benches["nuggets"], benches["matches"]
    revised = revise_list(actor=writing.assessor, nugget_list=NuggetList.objects.get())
    for each in strings:
        add_nugget(
            actor=writing.assessor,
            nugget_list=revised,
            text=each.text,
            importance="okay",
            client_key=judging.key("nugget", each.text),
        )
    frozen = freeze_list(actor=writing.assessor, nugget_list=revised, client_key=judging.key("freeze again"))
    for number, each in enumerate(strings, start=2):
        judging.vote(benches["votes"], frozen, number, "okay")
        judging.mark(matching, frozen, number, each.text)
        review_items(
            actor=matching.assessor, assignment=matching, items=[each], client_key=judging.key("review", each.text)
        )


def queries(client: Client, address: str, rows: int) -> int:
    """What the page asks of the database when no scores are kept; what it wrote is taken back."""
    process.forget_everything()
    shutil.rmtree(Path(settings.DATA_DIR) / "scores", ignore_errors=True)
    point = transaction.savepoint()
    asked: list[str] = []

    def noted(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        asked.append(sql)
        return execute(sql, *given)

    with connection.execute_wrapper(noted):
        answer = client.get(address)
        body = b"".join(answer) if answer.streaming else answer.content  # type: ignore[attr-defined]
    transaction.savepoint_rollback(point)
    assert (address, answer.status_code in (200, 302)) == (address, True)
    if not answer.streaming and answer["Content-Type"] == "application/json" and b'"results":' in body:
        assert (address, len(answer.json()["results"]) >= rows) == (address, True)
    return sum('FROM "django_session"' not in sql for sql in asked)


def test_every_address_with_rows_is_in_the_table() -> None:
    counted = {name for costs in COSTS.values() for name in costs if " " not in name}
    shown = {name for name, (who, _) in TABLE.items() if who}
    assert counted | WITHOUT_ROWS | BY_THE_DOCUMENT == shown
    assert counted & (WITHOUT_ROWS | BY_THE_DOCUMENT) == set()


@pytest.mark.parametrize("letter", COSTS)
@pytest.mark.parametrize("grown", [1, 3], indirect=True)
def test_a_page_costs_the_same_queries_whatever_its_rows(
    letter: str,
    grown: dict[str, str],
    client: Client,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for limit in BY_ROWS:
        monkeypatch.setattr(limit, 10**9)  # else it costs a query a ledger where other tests recorded much before
    rows = request.node.callspec.params["grown"]
    client.force_login(User.objects.get(username=PEOPLE[letter]))
    client.get(grown["home"])  # what a process reads once
    assert {name: queries(client, grown[name], rows) for name in COSTS[letter]} == COSTS[letter]
