"""Every address of the site, for every person: one table says who may. Forbidden and absent look the same.

A new address is one line in `TABLE`: its name, who may GET it, who may POST to it ("" where nobody can,
whatever they are: 405). Everybody else gets 404, and who is not logged in is asked to (302, or 401 by the API).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from assess.assignments.queries.work_items import handle_of
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
    Topic,
)
from assess.people.domain.acting_for import create_password_link
from assess.people.domain.invitations import create_invitation
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.nuggets import add_nugget
from tests import factories
from tests.assess import judged_campaign as judging
from tests.assess.submitted_run import harbor_run
from tests.assess.topic_drafts.made_drafts import drafted
from tests.parts import WHOLE

pytestmark = pytest.mark.django_db

PEOPLE = {
    "O": "organiser",
    "U": "superuser",
    "A": "assessor",  # whose work all assignments are, but the votes
    "B": "second_assessor",  # who votes
    "J": "adjudicator",
    "P": "participant",  # whose team sent the run
    "R": "rival",  # a participant of another team
    "S": "stranger",
}
ALL, MEMBERS, JUDGES, DESK, TEAMS = "OUABJPRS", "OUABJPR", "OUABJ", "OU", "OUPR"

TABLE: dict[str, tuple[str, str]] = {
    # accounts and what everybody has
    "home": (ALL, ""),
    "login": (ALL, ALL),
    "logout": ("", ALL),
    "profile": (ALL, ""),
    "password_change": (ALL, ALL),
    "token-create": ("", ALL),
    "token-revoke": ("", ALL),
    "invitation": (ALL, ALL),
    "new-password": (ALL, ALL),
    "help": (ALL, ""),
    "guide": (ALL, ""),
    # the desk
    "campaign-new": ("U", "U"),
    "design-new": ("U", "U"),
    "design": (DESK, DESK),
    "overview": (MEMBERS, ""),
    "campaign-state": (DESK, DESK),
    "freeze": (DESK, DESK),
    "stop-judging": (DESK, DESK),
    "unfreeze": (DESK, DESK),
    "release": (DESK, ""),  # and every member once one is published: tests/assess/releases/test_releases.py
    "release-make": ("", DESK),
    "release-names": (DESK, ""),
    "release-file": (DESK, ""),
    "release-publish": (DESK, DESK),
    "topics": (TEAMS, ""),
    "topics-load": ("", DESK),
    "given-twice": (DESK, DESK),
    "topic": (TEAMS, ""),
    "topic-change": (DESK, DESK),
    "judged-topics": (DESK, DESK),
    "topics-file": (TEAMS, ""),
    "topic-drafts": ("ABJ", ""),
    "topic-draft-begin": ("", "ABJ"),
    "topic-drafts-desk": (DESK, ""),
    "topic-draft": ("A", ""),  # whose draft it is
    "topic-draft-write": ("", "A"),
    "topic-draft-find": ("", "A"),
    "topic-draft-decide": ("", DESK),
    "documents": (DESK, ""),
    "documents-load": ("", DESK),
    "documents-records": (DESK, DESK),
    "documents-take-out": (DESK, DESK),
    "documents-prepare": ("", DESK),
    "document-clusters": (DESK, DESK),
    "document-cluster": (DESK, ""),
    "docnos-load": ("", DESK),
    "docnos-empty": ("", DESK),
    "document-list-load": ("", DESK),
    "documents-package": (TEAMS, ""),
    "document-list-file": (TEAMS, ""),
    "works": (DESK, ""),
    "work-stop": ("", DESK),
    "work-restart": ("", DESK),
    "runs": (TEAMS, ""),
    "run-new": (TEAMS, TEAMS),
    "run": ("OUP", ""),
    "run-file": ("OUP", ""),
    "run-report": ("OUP", ""),
    "run-withdraw": ("OUP", "OUP"),
    "run-check": ("OUP", "OUP"),
    "run-repaired": ("OUP", ""),
    "run-repaired-file": ("OUP", ""),
    "run-repaired-submit": ("", "OUP"),
    "pool": (DESK, ""),
    "pool-build": (DESK, DESK),
    "pool-plan": (DESK, DESK),
    "pool-plan-plot": (DESK, ""),
    "pool-quality": (DESK, DESK),
    "pool-quality-plot": (DESK, ""),
    "people": (DESK, ""),
    "member-add": ("", DESK),
    "member-remove": (DESK, DESK),
    "member-takes-work": ("", DESK),
    "member-name": (DESK, DESK),
    "member-password": (DESK, DESK),
    "invitation-create": ("", DESK),
    "invitation-withdraw": ("", DESK),
    "assignments": (DESK, ""),
    "assignments-hand-out": ("", DESK),
    "assignments-bulk": ("", DESK),
    "assignments-balance": (DESK, DESK),
    "assignment-return": (DESK, DESK),
    "member-role": (DESK, DESK),
    "invitations": (DESK, ""),
    "invitations-list": (DESK, DESK),
    "invitations-make": ("", DESK),
    "assignment-hand-over": (DESK, DESK),
    "double-judging": (DESK, DESK),
    "plants": (DESK, DESK),
    "plants-remove": ("", DESK),
    "consistency": (DESK, ""),
    "consistency-plot": (DESK, ""),
    "work-rules": (DESK, DESK),
    "progress": (DESK, ""),
    "adjudication": ("OUJ", ""),
    "adjudicate": ("OUJ", ""),
    "adjudicate-item": ("OUJ", ""),
    "adjudicate-decide": ("", "OUJ"),
    "machines": (DESK, DESK),
    "drafts": ("", DESK),
    "questions": (DESK, ""),
    "question": (DESK, DESK),
    "scores": (DESK, ""),
    "score-plot": (DESK, ""),
    "score-topics": (DESK, ""),
    "score-explain": (DESK, ""),
    "score-judgments": (DESK, ""),
    "score-report": (TEAMS, ""),  # empty for teams before the release
    "score-report-plot": (DESK, ""),
    "analysis": (DESK, ""),
    "analysis-plot": (DESK, ""),
    "exports": (DESK, ""),
    "exports-zip": (DESK, ""),
    "export-file": (DESK, ""),
    "settings": (DESK, DESK),
    "settings-deadline": ("", DESK),
    "settings-time-zone": ("", DESK),
    "settings-release-dates": ("", DESK),
    "user-agreement": (TEAMS, ""),
    "user-agreement-accept": ("", TEAMS),
    "user-agreement-edit": ("", DESK),
    "guidelines-edit": (DESK, DESK),
    "guideline-version": (DESK, ""),
    "activity": (DESK, ""),
    "agreement": (DESK, ""),
    "agreement-items": (DESK, ""),
    "agreement-plot": (DESK, ""),
    "stability": (DESK, ""),
    "stability-plot": (DESK, ""),
    "significance": (DESK, ""),
    "significance-plot": (DESK, ""),
    "api-agreement-list": (DESK, ""),
    "api-stability-list": (DESK, ""),
    "api-significance-list": (DESK, ""),
    # documents and work
    "search": (JUDGES, ""),
    "document": (JUDGES, ""),
    "document-list": (JUDGES, ""),
    "document-raw": (JUDGES, ""),
    "notices": ("ABJ", "ABJ"),
    "work": ("ABJ", ""),
    "work-take": ("", "ABJ"),
    "work-takes": ("", "ABJ"),
    "guidelines": (MEMBERS, ""),
    "workbench": ("A", ""),
    "work-again": ("", "A"),
    "work-done": ("", "A"),
    "work-reopen": ("", "A"),
    "work-return": ("", "A"),
    "work-ask": ("", "A"),
    "judge": ("", "A"),
    "work-item": ("A", ""),
    "work-lines": ("A", ""),
    "picks": ("", "A"),
    "picks-add": ("", "A"),
    "classes-edit": ("", "A"),
    "classes-document": ("A", ""),
    "votes-cast": ("", "B"),
    "nuggets-edit": ("", "A"),
    "matches-mark": ("", "A"),
    "matches-review": ("", "A"),
    "matches-response": ("A", ""),
    "string-document": ("A", ""),
    "work-document": ("A", ""),
    # the API
    "api-schema": (ALL, ""),
    "api-track-list": (ALL, ""),
    "api-token": ("", ALL),
    "api-campaign-list": (ALL, "U"),
    "api-campaign-detail": (MEMBERS, ""),
    "api-campaign-activity": (DESK, ""),
    "api-campaign-settings": ("", ""),
    "api-campaign-deadline": ("", DESK),
    "api-campaign-time-zone": ("", DESK),
    "api-campaign-release-dates": ("", DESK),
    "api-campaign-state": ("", DESK),
    "api-campaign-stop": ("", DESK),
    "api-campaign-resume": ("", DESK),
    "api-user-agreement": (TEAMS, DESK),
    "api-user-agreement-accept": ("", TEAMS),
    "api-guideline-list": (MEMBERS, DESK),
    "api-member-list": (DESK, DESK),
    "api-member-remove": ("", DESK),
    "api-member-takes-work": ("", "OUABJ"),
    "api-invitation-list": (DESK, DESK),
    "api-invitation-detail": ("", ""),
    "api-topic-list": (MEMBERS, DESK),
    "api-topic": (MEMBERS, ""),
    **{f"api-topic-{verb}": ("", DESK) for verb in ("amend", "drop", "restore", "remove")},
    "api-given-twice": (DESK, ""),
    "api-design-list": (DESK, DESK),
    "api-design-try": ("", DESK),
    "api-judged-topics": (DESK, DESK),
    "api-topic-file-list": (TEAMS, ""),
    "api-topic-file": (TEAMS, ""),
    "api-topic-draft-list": ("OUABJ", "ABJ"),
    "api-topic-draft-detail": ("OUA", ""),
    **{f"api-topic-draft-{verb}": ("", "A") for verb in ("write", "send", "drop", "find", "judge", "withdraw")},
    **{f"api-topic-draft-{verb}": ("", DESK) for verb in ("back", "accept")},
    "api-document-list-list": (MEMBERS, DESK),
    "api-document-list": (MEMBERS, ""),
    "api-package": (TEAMS, ""),
    "api-document-list-file": (TEAMS, ""),
    "api-document-list-all": (JUDGES, DESK),
    "api-document": (JUDGES, ""),
    "api-document-raw": (JUDGES, ""),
    "api-docnos": ("", DESK),
    "api-document-records": ("", DESK),
    "api-document-records-look": ("", DESK),
    "api-documents-taken-out": (DESK, DESK),
    "api-documents-prepared": (DESK, DESK),
    "api-document-clusters": (DESK, DESK),
    "api-search": (JUDGES, ""),
    "api-work-list": (DESK, ""),
    "api-work-detail": (DESK, ""),
    "api-work-stop": ("", DESK),
    "api-work-restart": ("", DESK),
    "api-run-list": (TEAMS, TEAMS),
    "api-run-check": ("", TEAMS),
    "api-run-detail": ("OUP", ""),
    "api-run-file": ("OUP", ""),
    "api-run-withdraw": ("", "OUP"),
    "api-run-repaired": ("OUP", ""),
    "api-run-submit-repaired": ("", "OUP"),
    "api-run-check-again": ("", "OUP"),
    "api-pool-list": (DESK, DESK),
    "api-pool-detail": (DESK, ""),
    "api-pool-plan": (DESK, ""),
    "api-pool-quality": (DESK, ""),
    "api-assignment-list": (MEMBERS, DESK),
    "api-assignment-bulk": ("", DESK),
    "api-assignment-balance": ("", DESK),
    "api-campaign-work-rules": ("", DESK),
    "api-member-change-role": ("", DESK),
    "api-member-rename": ("", DESK),
    "api-member-password-link": ("", DESK),
    "api-invitation-many": ("", DESK),
    "api-assignment-second": ("", DESK),
    "api-assignment-hand-over": ("", DESK),
    "api-assignment-again": ("", "A"),
    "api-plant-list": (DESK, DESK),
    "api-plant-remove": ("", DESK),
    "api-assignment-take": ("", "ABJ"),
    "api-assignment-detail": ("OUA", ""),
    "api-assignment-open": ("", "A"),
    "api-assignment-finish": ("", "A"),
    "api-assignment-reopen": ("", "OUA"),
    "api-assignment-give-back": ("", "OUA"),
    "api-assignment-items": ("A", ""),
    "api-assignment-judgments": ("A", "A"),
    "api-assignment-ask": ("A", "A"),
    "api-disagreement-list": ("OUJ", "OUJ"),
    "api-machine-list": (DESK, DESK),
    "api-machine-drafts": ("", DESK),
    "api-help-list": (DESK, ""),
    "api-help-answer": ("", DESK),
    "api-progress-list": (DESK, ""),
    "api-progress-summary": (DESK, ""),
    "api-export-list": (DESK, ""),
    "api-export-detail": (DESK, ""),
    "api-export-all-files": (DESK, ""),
    "api-release-list": (MEMBERS, DESK),
    "api-release-missing": (DESK, ""),
    "api-release-key": (DESK, ""),
    "api-release-names": (TEAMS, ""),
    "api-release-file": (DESK, ""),
    "api-release-publish": ("", DESK),
    "api-score-list": (DESK, ""),
    "api-score-measures": (DESK, ""),
    "api-score-explain": (DESK, ""),
    "api-score-judgments": (DESK, ""),
    "api-score-report": (DESK, ""),
    "api-nugget-list-list": ("A", "A"),
    **{
        f"api-nugget-list-{verb}": ("", "A")
        for verb in ("add", "edit", "move", "merge", "split", "retire", "restore", "add-source", "remove-source")
    },
    **{f"api-nugget-list-{verb}": ("", "A") for verb in ("undo", "redo", "freeze", "revise")},
    "api-nugget-list-counting": ("A", ""),
    "api-response-list": ("A", ""),
    "api-match-list": ("A", "A"),
    "api-review-list": ("A", "A"),
    "api-vote-list": ("B", "B"),
    "api-class-list": ("A", ""),
    **{f"api-class-{verb}": ("", "A") for verb in ("create", "assign", "remove", "merge", "split", "rename")},
    **{f"api-class-{verb}": ("", "A") for verb in ("found", "undo", "redo")},
}
OWN_RULES = {
    "document-page",  # known by its token alone: tests/assess/documents/test_document_pages.py
    *("healthz", "readyz"),  # open to anybody, and asked by programs: tests/config/test_health.py
    "favicon",  # open to anybody: tests/config/test_health.py
}
REDIRECTED = {
    *(("overview", who) for who in "ABJPR"),
    *(("run-check", who) for who in "OUP"),
    *(("login", who) for who in ALL),
}
OPEN_TO_ALL = {"login", "invitation", "new-password", "logout", "api-schema"}
EXPLAINED = "?run=Harbor1&topic=all&measure=combined"
BEHIND = "?run=Harbor1&topic=1.1&measure=IP&row=2.1"
COMPARED = "?question=votes/importance&judge=primary&judge=second"
QUERY = {
    "consistency-plot": "?assessor=assessor",
    "double-judging": "?stages=instances&of=all&seed=1",
    "api-disagreement-list": "?stage=instances&criterion=correctness",
    "score-topics": "?run=Harbor1",
    **dict.fromkeys(("agreement", "agreement-items"), COMPARED),
    "api-agreement-list": "?stage=votes&criterion=importance&judges=primary,second",
    **dict.fromkeys(("score-explain", "api-score-explain"), EXPLAINED),
    **dict.fromkeys(("score-judgments", "api-score-judgments"), BEHIND),
    "score-report-plot": "?measure=IP&plot=topics",
}
STAGES = {"classes-": "classes", "api-class": "classes", "votes-": "votes", "api-vote": "votes"} | {
    "nuggets-": "nuggets",
    "api-nugget-list": "nuggets",
    "matches-": "matches",
    "string-": "matches",
    "api-nugget-list-counting": "matches",
    "api-response": "matches",
    "api-match": "matches",
    "api-review": "matches",
}


def named_patterns() -> dict[str, URLPattern]:
    """Every address of the site but the admin site's, by name."""

    def walk(patterns: list[Any]) -> Iterator[URLPattern]:
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                yield pattern
            elif pattern.namespace != "admin":
                yield from walk(pattern.url_patterns)

    found = list(walk(get_resolver().url_patterns))
    assert all(pattern.name for pattern in found)
    return {str(pattern.name): pattern for pattern in found}


def test_the_table_names_every_address_and_no_other() -> None:
    assert set(named_patterns()) - OWN_RULES == set(TABLE)


@pytest.fixture
def addresses(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    adjudicator: User,
    participant: User,
    stranger: User,
    grading: Assignment,
    squishy: Topic,
    squishy_items: list[Item],
    nugget_writing: Assignment,
    settings,
    tmp_path,
) -> dict[str, str]:
    """Name -> an address that leads somewhere, with a run of the participant's team and work of every kind."""
    settings.DATA_DIR = tmp_path
    factories.member(campaign, "rival", "participant", team="Pier")
    User.objects.create_superuser("superuser", password=factories.PASSWORD)
    item = Item.objects.get(topic=grading.topic, text="blue bicycle")
    document = factories.document(campaign, item.docno)
    Item.objects.filter(docno=item.docno).update(document=document)
    ListedDocument.objects.create(topic=campaign.topics.get(number="1"), rank=1, docno=item.docno, score=1.0)
    for each in (document, factories.document(campaign, "COPY")):
        DocumentCluster.objects.create(topic=campaign.topics.get(number="1"), document=each, number=1)
    nuggets = start_list(actor=assessor, assignment=nugget_writing)
    add_nugget(actor=assessor, nugget_list=nuggets, text="cheap", importance="vital", client_key=UUID(int=1))
    freeze_list(actor=assessor, nugget_list=nuggets, client_key=UUID(int=2))
    _, invitation = create_invitation(actor=organiser, campaign=campaign, role="assessor")
    asked = HelpRequest.objects.create(assignment=grading, text="Which?", client_key=UUID(int=3))
    job = Job.objects.create(campaign=campaign, kind="documents", started_by=organiser)
    benches = {"instances": grading, "nuggets": nugget_writing}
    benches["classes"] = factories.assignment(grading.topic, "classes", assessor)
    benches["matches"] = factories.assignment(squishy, "matches", assessor)
    benches["votes"] = factories.assignment(squishy, "votes", second_assessor, role="second")
    disagree(grading, item)
    drafted(campaign, assessor)
    run = harbor_run(campaign, participant).pk
    ids: dict[str, Any] = {
        "slug": campaign.slug,
        "token": invitation,
        "number": "1",
        "cluster": 1,
        "docno": item.docno,
        "job_id": job.pk,
        "run_id": run,
        "task": "rigid",
        "membership_id": campaign.memberships.get(user=assessor).pk,
        "invitation_id": campaign.invitations.get().pk,
        "help_id": asked.pk,
        "version": 1,
        "release_id": factories.release(campaign, organiser).pk,
        "stage": "instances",
        "criterion": "correctness",
        "key": "questions",
    }
    keys = {"api-run": run, "api-pool": Pool.objects.all()[0].pk, "api-work": job.pk, "api-help": asked.pk}
    keys |= {"api-release": ids["release_id"], "api-topic-draft": campaign.topic_drafts.get().number}
    keys |= {"api-assignment": grading.pk, "api-invitation": ids["invitation_id"]}
    factories.invited(campaign, assessor, organiser)
    _, link = create_password_link(actor=organiser, campaign=campaign, user=assessor)
    found = {}
    for name, pattern in named_patterns().items():
        if name in OWN_RULES:
            continue
        prefix = max((each for each in STAGES if name.startswith(each)), key=len, default="")
        bench = benches[STAGES.get(prefix, "instances")]
        own = {"assignment_id": bench.pk, "assignment_pk": bench.pk}
        shown = squishy_items[0] if bench.topic_id == squishy.pk else item
        own["handle"] = handle_of(bench, shown.pk)
        own["token"] = link if name == "new-password" else invitation
        own["thing"] = judging.shown(item, campaign, adjudicator)
        own["name"] = "assessors" if name == "guide" else "judgments.jsonl"
        own["pk"] = next((pk for each, pk in keys.items() if name.startswith(each)), 0)
        wanted = pattern.pattern.regex.groupindex or pattern.pattern.converters  # type: ignore[union-attr]
        found[name] = reverse(name, kwargs={key: {**ids, **own}[key] for key in wanted}) + QUERY.get(name, "")
    return found


def disagree(work: Assignment, item: Item) -> None:
    """Somebody else judges the item too, and says otherwise."""
    other = factories.member(work.campaign, "judge_two", "assessor")
    second = factories.assignment(work.topic, work.stage, other, role="second")
    for each, value in ((work, 1), (second, -1)):
        judging.judge(each, item.text, value)


def asked_by(letter: str, addresses: dict[str, str]) -> dict[str, str]:
    """The addresses that a person asks for: the superuser, who opens nearly all that the organiser opens, asks for what
    the table tells them apart by and for every third of the others, in `make test-all` for all of them.
    """
    if letter != "U" or WHOLE:
        return addresses
    apart = [name for name in addresses if any(("U" in who) is not ("O" in who) for who in TABLE[name])]
    every_third = list(addresses)[::3]
    return {name: address for name, address in addresses.items() if name in {*apart, *every_third}}


def answers(client: Client, addresses: dict[str, str], method: str) -> dict[str, int]:
    """The status of every address; what a call wrote is taken back. No page of them shows a tag of its template."""
    found = {}
    for name, address in addresses.items():
        point = transaction.savepoint()
        cookies = deepcopy(client.cookies)
        is_write = method == "post" and name.startswith("api-")  # what narrows a list is no parameter of those
        answer = getattr(client, method)(address.partition("?")[0] if is_write else address)
        found[name] = answer.status_code
        if not answer.streaming and "text/html" in answer.headers.get("Content-Type", ""):
            assert re.search(rb"\{\{|\{%", answer.content) is None, name
        client.cookies = cookies
        transaction.savepoint_rollback(point)
    return found


def own_numbers(addresses: dict[str, str], campaign: Campaign, person: User) -> dict[str, str]:
    """The same addresses; what is settled has the number that it has for this person."""
    item = Item.objects.get(topic__number="1.1", text="blue bicycle")
    about = {"slug": campaign.slug, "stage": "instances", "criterion": "correctness"}
    thing = judging.shown(item, campaign, person)
    return addresses | {"adjudicate-item": reverse("adjudicate-item", kwargs={**about, "thing": thing})}


SAME = (
    *("topic", "topic-change", "guideline-version", "document-list", "api-topic", "api-document-list"),
    *("api-topic-amend", "api-topic-drop", "api-topic-restore", "api-topic-remove"),
)
"""What is named by a number that another campaign has too."""


@pytest.mark.parametrize("letter", PEOPLE)
def test_each_page_opens_for_who_may_and_an_empty_post_never_breaks(
    letter: str, addresses: dict[str, str], campaign: Campaign, client: Client
) -> None:
    """Who may not finds no page; an empty post is refused, or absent too."""
    person = User.objects.get(username=PEOPLE[letter])
    client.force_login(person)
    addresses = asked_by(letter, own_numbers(addresses, campaign, person))
    got = answers(client, addresses, "get")
    expected = {}
    for name in addresses:
        may = letter in TABLE[name][0]
        expected[name] = (302 if (name, letter) in REDIRECTED else 200) if may else 404 if TABLE[name][0] else 405
    assert got == expected

    for name, status in answers(client, addresses, "post").items():
        who = TABLE[name][1]
        if not who:
            assert (name, status) == (name, 405)
        elif letter in who:
            assert (name, status < 500, status not in (404, 405)) == (name, True, True)
        else:
            assert (name, status) == (name, 404)


@pytest.mark.parametrize("method", ["get", "post"])
def test_what_is_of_one_campaign_is_at_no_address_of_another(
    method: str, addresses: dict[str, str], campaign: Campaign, assessor: User, client: Client
) -> None:
    other = factories.campaign(organiser=assessor, slug="elsewhere")
    for role, team in (("assessor", ""), ("adjudicator", ""), ("participant", "Harbor")):
        Membership.objects.create(campaign=other, user=assessor, role=role, team=team)
    numbered = {
        name: addresses[name].replace(f"/{campaign.slug}/", f"/{other.slug}/")
        for name in addresses
        if re.search(r"/\d+/", addresses[name]) and f"/{campaign.slug}/" in addresses[name] and name not in SAME
    }
    assert len(numbered) > 40
    client.force_login(assessor)
    got = answers(client, numbered, method)
    assert {name: status for name, status in got.items() if status not in (404, 405)} == {}


@pytest.mark.parametrize("method", ["get", "post"])
def test_who_is_not_logged_in_is_asked_to(method: str, addresses: dict[str, str], client: Client) -> None:
    for name, status in answers(client, addresses, method).items():
        if name not in OPEN_TO_ALL:
            assert (name, status) == (name, 401 if name.startswith("api-") else 302)


@pytest.mark.parametrize("letter", "PR" if WHOLE else "P")
def test_before_their_release_date_no_address_tells_participants_of_topics(
    letter: str, addresses: dict[str, str], campaign: Campaign, client: Client
) -> None:
    """Guidelines III: "NIST will post the questions on the TAC QA web site on June 24"."""
    Campaign.objects.filter(pk=campaign.pk).update(topics_from="2126-06-24T09:00Z", state="setup")
    told = [text.encode() for text in campaign.topics.values_list("text", flat=True)]
    client.force_login(User.objects.get(username=PEOPLE[letter]))
    seen = []
    for name, address in addresses.items():
        answer = client.get(address)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[arg-type]
        if any(text in body for text in told):
            seen.append(name)
    assert seen == []


def test_the_admin_site_is_for_superusers_alone(addresses: dict[str, str], client: Client) -> None:
    names = [
        str(pattern.name)
        for each in get_resolver().url_patterns
        if getattr(each, "namespace", None) == "admin"
        for part in each.url_patterns
        for pattern in getattr(part, "url_patterns", [part])
        if pattern.name and str(pattern.name).endswith(("_changelist", "_add", "index"))
    ]
    assert len(names) > 15
    for letter, username in PEOPLE.items():
        client.force_login(User.objects.get(username=username))
        statuses = {name: client.get(reverse(f"admin:{name}")).status_code for name in names}
        allowed = {200, 403} if letter == "U" else {302}
        assert {name: status for name, status in statuses.items() if status not in allowed} == {}, letter
